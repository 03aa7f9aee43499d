import { describe, expect, test } from '@jest/globals';
import { besides } from '../../src/cli/rules/job-conf.ts';
import { rulesOfJobConf } from '../../src/vortex/tools/job-conf.ts';
import { parseXml, XmlError } from '../../src/vortex/tools/xml.ts';

function inXml(param: string): string {
  return `<?xml version="1.0"?>
<!-- <destination id="tpv_dispatcher"/> -->
<job_conf>
  <plugins workers="4"><plugin id="slurm" type="runner" load="galaxy.jobs.runners.slurm:SlurmJobRunner"/></plugins>
  <destinations default="tpv_dispatcher">
    <destination id="local" runner="slurm"><param id="tpv_config_files">other.yml</param></destination>
    <destination id='tpv_dispatcher' runner="dynamic">
      <param id="function">map_tool_to_destination</param>
      ${param}
    </destination>
  </destinations>
</job_conf>
`;
}

describe('the rule files in a job configuration of Galaxy', () => {
  test('are in XML those of the destination of that name, with commas between them', () => {
    const files = (param: string): unknown => rulesOfJobConf(inXml(param)).files;
    expect(
      files('<param id="tpv_config_files">https://h/a.yml?x=1&amp;y=2, b.yml ,</param>'),
    ).toEqual(['https://h/a.yml?x=1&y=2', 'b.yml']);
    expect(
      files('<param id="tpv_config_files"><![CDATA[a&b.yml]]><!-- old.yml --></param>'),
    ).toEqual(['a&b.yml']);
    expect(
      files('<param id="tpv_config_files">a.yml</param><param id="tpv_config_files">b.yml</param>'),
    ).toEqual(['b.yml']);
  });

  test('are in YAML below params or beside the rest, in a mapping or a list of environments', () => {
    const all = [
      'execution: { environments: { tpv_dispatcher: { tpv_config_files: [a.yml] } } }',
      'execution: { environments: [{ id: local }, { id: tpv_dispatcher, runner: dynamic_tpv, ' +
        'tpv_config_files: a.yml }] }',
      'execution: { environments: { tpv_dispatcher: { tpv_config_files: [b.yml], params: { ' +
        'tpv_config_files: [a.yml] } } } }',
    ];
    expect(all.map((text) => rulesOfJobConf(text).files)).toEqual([
      ['a.yml'],
      ['a.yml'],
      ['a.yml'],
    ]);
  });

  test.each([
    ['<job_conf/>', 'a destination with the id tpv_dispatcher is expected'],
    [inXml(''), 'One of tpv_configs or tpv_config_files must be specified'],
    [
      'execution: { environments: { tpv: {} } }',
      'execution.environments.tpv_dispatcher is expected',
    ],
    ['', 'execution.environments.tpv_dispatcher is expected'],
  ])('are missed with an error: %j', (text, message) => {
    expect(() => rulesOfJobConf(text)).toThrow(message);
  });
});

describe('XML', () => {
  test('attributes, entities, characters by number, and text up to the first child', () => {
    const root = parseXml(`<!DOCTYPE a><a b="1 &lt; 2" c='"'> x&#65;&#x42; <d/> y </a>`);
    expect(root).toEqual({
      name: 'a',
      attributes: new Map([
        ['b', '1 < 2'],
        ['c', '"'],
      ]),
      text: ' xAB ',
      children: [{ name: 'd', attributes: new Map(), text: '', children: [] }],
    });
  });

  test.each([
    ['<a><b></a>', 'line 1: </a> closes nothing'],
    ['<a>\n<b>', 'line 2: <b> is not closed'],
    ['<a>&file;</a>', "the entity '&file;' is not known"],
    ['<!DOCTYPE a [<!ENTITY file SYSTEM "/etc/passwd">]><a>&file;</a>', 'this is no XML'],
    ['<a/><b/>', 'there is more than one root element'],
    ['<a b=1/>', 'this is no XML'],
    ['<!-- nothing -->', 'there is no element'],
    ['<a>1 & 2</a>', "'&' is no character"],
    ['<a>&#x110000;</a>', "'&#x110000;' is no character"],
  ])('%s is refused with its line', (text, message) => {
    expect(() => parseXml(text)).toThrow(XmlError);
    expect(() => parseXml(text)).toThrow(message);
  });
});

describe('a rule file beside a job configuration', () => {
  // As os.path.join(os.path.dirname(os.path.abspath(configuration)), file) of CPython has them.
  test.each([
    ['job_conf.yml', 'rules.yml', '/srv/galaxy/rules.yml'],
    ['config/../job_conf.yml', './tpv/../rules.yml', '/srv/galaxy/./tpv/../rules.yml'],
    ['/job_conf.yml', 'rules.yml', '/rules.yml'],
    ['//etc//job_conf.yml', 'rules.yml', '//etc/rules.yml'],
    ['//job_conf.yml', 'rules.yml', '//rules.yml'],
    ['///etc/job_conf.yml', 'rules.yml', '/etc/rules.yml'],
    ['job_conf.yml', '/etc/rules.yml', '/etc/rules.yml'],
    ['job_conf.yml', 'ftp://example.org/rules.yml', 'ftp://example.org/rules.yml'],
  ])('in %s, named %s, has the name that TPV prints', (jobConf, path, name) => {
    expect(besides('/srv/galaxy', jobConf, path)).toBe(name);
  });
});
