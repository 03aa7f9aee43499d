#!/usr/bin/env cwl-runner
# A mosaic of image tiles: each is put on the grid of all, their means are taken, the result is measured.
cwlVersion: v1.2
$graph:
- id: main
  class: Workflow
  requirements: { ScatterFeatureRequirement: {} }
  inputs:
    tiles: File[]
    size: { type: int, default: 100 }
  outputs:
    mosaic: { type: File, outputSource: add/mosaic }
    summary: { type: File, outputSource: measure/summary }
  steps:
    project:
      run: '#project'
      scatter: tile
      in: { tile: tiles, size: size }
      out: [projected]
    add:
      run: '#add'
      in: { tiles: project/projected }
      out: [mosaic]
    measure:
      run: '#measure'
      in: { mosaic: add/mosaic }
      out: [summary]

- id: project
  class: CommandLineTool
  requirements:
    InitialWorkDirRequirement:
      listing:
      - entryname: project.py
        entry: |
          import sys
          import numpy
          from astropy.io import fits
          tile, size = sys.argv[1], int(sys.argv[2])
          with fits.open(tile) as opened:
              data, header = opened[0].data, opened[0].header
          x, y = header['OFFSET1'], header['OFFSET2']
          grid = numpy.full((size, size), numpy.nan, dtype='float32')
          grid[y:y + data.shape[0], x:x + data.shape[1]] = data
          fits.writeto('projected.fits', grid)
  baseCommand: [python3, project.py]
  inputs:
    tile: { type: File, inputBinding: { position: 1 } }
    size: { type: int, inputBinding: { position: 2 } }
  outputs:
    projected: { type: File, outputBinding: { glob: projected.fits } }

- id: add
  class: CommandLineTool
  requirements:
    ResourceRequirement: { coresMin: 2, ramMin: 1000 }
    InitialWorkDirRequirement:
      listing:
      - entryname: add.py
        entry: |
          import sys
          import numpy
          from astropy.io import fits
          images = numpy.array([fits.getdata(tile) for tile in sys.argv[1:]])
          covered = numpy.isfinite(images).sum(axis=0)
          total = numpy.nansum(images, axis=0)
          mosaic = numpy.where(covered > 0, total / numpy.maximum(covered, 1), numpy.nan)
          fits.writeto('mosaic.fits', mosaic.astype('float32'))
  baseCommand: [python3, add.py]
  inputs:
    tiles: { type: 'File[]', inputBinding: { position: 1 } }
  outputs:
    mosaic: { type: File, outputBinding: { glob: mosaic.fits } }

- id: measure
  class: CommandLineTool
  requirements:
    InitialWorkDirRequirement:
      listing:
      - entryname: measure.py
        entry: |
          import json
          import sys
          import numpy
          from astropy.io import fits
          mosaic = fits.getdata(sys.argv[1])
          seen = numpy.isfinite(mosaic)
          json.dump({'pixels': int(seen.sum()), 'mean': round(float(mosaic[seen].mean()), 3)},
                    open('summary.json', 'w'))
  baseCommand: [python3, measure.py]
  inputs:
    mosaic: { type: File, inputBinding: { position: 1 } }
  outputs:
    summary: { type: File, outputBinding: { glob: summary.json } }
