import type { EnvironmentTerms, ImageTerms } from '../../environments/environment.ts';
import type { RegistryImage } from '../../tasks/image.ts';
import { pullReference } from '../../tasks/image.ts';
import type { ContainerEngineSettings, ContainerSettings } from './settings.ts';

/**
 * The images in which a container engine runs Python programs; undefined: what they have is not
 * known, because a tag may be another image tomorrow.
 */
export function imagesOf(settings: ContainerEngineSettings): readonly ImageTerms[] | undefined {
  if (known.has(settings)) return known.get(settings);
  const { container, environments } = settings;
  const named =
    environments === undefined
      ? unnamed(container.images['python-program'])
      : environments.filter(isImage);
  const engine = JSON.stringify(container.address);
  const images = named?.map((one) => ({ ...one, engine }));
  for (const one of images ?? []) engineOf.set(one, container);
  known.set(settings, images);
  return images;
}

/** The engine of an image's environment. */
export function engineOfImage(terms: ImageTerms): ContainerSettings | undefined {
  return engineOf.get(terms);
}

const known = new WeakMap<ContainerEngineSettings, readonly ImageTerms[] | undefined>();
const engineOf = new WeakMap<ImageTerms, ContainerSettings>();

function isImage(terms: EnvironmentTerms): terms is ImageTerms {
  return terms.kind === 'image';
}

function unnamed(image: RegistryImage | undefined): readonly ImageTerms[] | undefined {
  if (image?.digest === undefined) return undefined;
  return [{ name: 'image', kind: 'image', reference: pullReference(image) }];
}
