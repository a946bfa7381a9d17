import { describe, expect, it, test } from 'vitest'
import type { NetFolder, ReadFile } from './candidate.ts'
import { judgeReadings, type RuntimeReading, runtimeReadings } from './runtime-readings.ts'

const list = (...types: unknown[]) => ({
  cniVersion: '0.3.1',
  name: 'pods',
  plugins: types.map((type) => (typeof type === 'string' ? { type } : type)),
})
const CALICO = list('calico', 'portmap', 'mesh')
const OTHER = list('calico', 'portmap')
const single = (type: string) => ({ cniVersion: '0.4.0', name: 'site', type })
const multus = (delegate?: unknown, more = {}) => ({
  name: 'multus-cni-network',
  type: 'multus',
  ...(delegate === undefined ? {} : { delegates: [delegate] }),
  ...more,
})
const BROKEN = '{"cniVersion":'

/** A net folder with texts, documents and unreadable files. */
function folderOf(files: Readonly<Record<string, unknown>>): NetFolder {
  const entries = Object.entries(files).map(([name, file]): [string, ReadFile] => {
    if (file instanceof Error) return [name, { unreadable: file.message }]
    return [name, Buffer.from(typeof file === 'string' ? file : JSON.stringify(file))]
  })
  return new Map(entries)
}

const READS = 'uses 10-calico.conflist with mesh as plugin 3 of 3'
const EMPTY = 'unexpected end of JSON input'
const BROKEN_FIRST = `loads no network while 05-broken.conf is broken: error parsing configuration: Unexpected end of JSON input`

describe.each<[title: string, files: Readonly<Record<string, unknown>>, containerd: string, crio: string]>([
  ['one list', { '10-calico.conflist': CALICO }, `yes ${READS}`, `yes ${READS}`],
  [
    'a broken .conf before it',
    { '05-broken.conf': BROKEN, '10-calico.conflist': CALICO },
    `no ${BROKEN_FIRST}`,
    `yes ${READS}`,
  ],
  [
    'a broken .json before it',
    { '05-broken.json': '', '10-calico.conflist': CALICO },
    `no loads no network while 05-broken.json is broken: error parsing configuration: ${EMPTY}`,
    `yes ${READS}`,
  ],
  [
    'a list without plugins before it',
    { '05-empty.conflist': list(), '10-calico.conflist': CALICO },
    'no loads no network while 05-empty.conflist is broken: error parsing configuration list: no plugins in list',
    `yes ${READS}`,
  ],
  [
    'a list in a .conf before it',
    { '05-list.conf': OTHER, '10-calico.conflist': CALICO },
    "no loads no network while 05-list.conf is broken: error parsing configuration: missing 'type'",
    `yes ${READS}`,
  ],
  [
    'a dangling link before it',
    { '05-link.conf': new Error('a dangling link, or gone'), '10-calico.conflist': CALICO },
    'no loads no network while 05-link.conf is broken: a dangling link, or gone',
    `yes ${READS}`,
  ],
  [
    'a broken file after it',
    { '10-calico.conflist': CALICO, '20-broken.conf': BROKEN },
    `yes ${READS}`,
    `yes ${READS}`,
  ],
  [
    'a .json before it',
    { '05-site.json': single('bridge'), '10-calico.conflist': CALICO },
    'no uses 05-site.json, and mesh is not in it',
    'no uses 05-site.json, and mesh is not in it',
  ],
  [
    'a .conf before it',
    { '05-site.conf': single('bridge'), '10-calico.conflist': CALICO },
    'no uses 05-site.conf, and mesh is not in it',
    'no uses 05-site.conf, and mesh is not in it',
  ],
  [
    'names in the order of their bytes',
    { '10-a.conflist': OTHER, '10-B.conflist': CALICO },
    'yes uses 10-B.conflist with mesh as plugin 3 of 3',
    'yes uses 10-B.conflist with mesh as plugin 3 of 3',
  ],
  [
    'a number of one digit, which sorts later',
    { '9-calico.conflist': CALICO, '10-other.conflist': OTHER },
    'no uses 10-other.conflist, and mesh is not in it',
    'no uses 10-other.conflist, and mesh is not in it',
  ],
  [
    'files that runtimes do not load',
    { '05-x.yaml': BROKEN, '10-calico.conflist': CALICO },
    `yes ${READS}`,
    `yes ${READS}`,
  ],
  [
    'an empty folder',
    {},
    'no has no network: no configuration is in the folder',
    'no has no network: no configuration is in the folder',
  ],
  [
    'a broken file alone',
    { '05-broken.conf': BROKEN },
    `no ${BROKEN_FIRST}`,
    'no has no network: 05-broken.conf is broken: error parsing configuration: Unexpected end of JSON input',
  ],
  [
    'Multus with a copy that has the plugin',
    { '00-multus.conf': multus(CALICO), '10-calico.conflist': CALICO },
    'yes uses 00-multus.conf, and Multus runs the copy in it: mesh is delegates[0].plugins[2]',
    'yes uses 00-multus.conf, and Multus runs the copy in it: mesh is delegates[0].plugins[2]',
  ],
  [
    'Multus with a copy that lacks the plugin',
    { '00-multus.conf': multus(OTHER), '10-calico.conflist': CALICO },
    'no uses 00-multus.conf, and Multus runs the copy in it: mesh is not in that copy',
    'no uses 00-multus.conf, and Multus runs the copy in it: mesh is not in that copy',
  ],
  [
    'Multus with the plugin in the second delegate',
    { '00-multus.conf': multus(undefined, { delegates: [OTHER, CALICO] }) },
    'no uses 00-multus.conf, and Multus runs the copy in it: mesh is not in that copy',
    'no uses 00-multus.conf, and Multus runs the copy in it: mesh is not in that copy',
  ],
  [
    'Multus as a list with the plugin at its end, and a copy that has it',
    { '00-multus.conflist': list(multus(CALICO), 'mesh') },
    'yes uses 00-multus.conflist with mesh as plugin 2 of 2, and Multus runs it a second time by plugins[0].delegates[0].plugins[2], which is harmless',
    'yes uses 00-multus.conflist with mesh as plugin 2 of 2, and Multus runs it a second time by plugins[0].delegates[0].plugins[2], which is harmless',
  ],
  [
    'Multus as a list with the plugin at its end, and a copy that lacks it',
    { '00-multus.conflist': list(multus(OTHER), 'mesh') },
    'yes uses 00-multus.conflist with mesh as plugin 2 of 2',
    'yes uses 00-multus.conflist with mesh as plugin 2 of 2',
  ],
  [
    'Multus that runs a file of the folder',
    {
      '00-multus.conf': multus(OTHER, {
        type: 'multus-shim',
        clusterNetwork: '/host/etc/cni/net.d/10-calico.conflist',
      }),
      '10-calico.conflist': CALICO,
    },
    'yes uses 00-multus.conf, and Multus runs 10-calico.conflist with mesh as plugin 3 of 3',
    'yes uses 00-multus.conf, and Multus runs 10-calico.conflist with mesh as plugin 3 of 3',
  ],
  [
    'Multus that runs a file of the folder without the plugin',
    { '00-multus.conf': multus(undefined, { clusterNetwork: '/x/10-other.conflist' }), '10-other.conflist': OTHER },
    'no uses 00-multus.conf, and Multus runs 10-other.conflist: mesh is not in it',
    'no uses 00-multus.conf, and Multus runs 10-other.conflist: mesh is not in it',
  ],
  [
    'Multus that runs a network by its name',
    { '00-multus.conf': multus(undefined, { ClusterNetwork: 'pods' }), '10-calico.conflist': CALICO },
    'unknown uses 00-multus.conf, and Multus runs a network that is configured elsewhere',
    'unknown uses 00-multus.conf, and Multus runs a network that is configured elsewhere',
  ],
  [
    'the plugin in delegates of a plugin that is not Multus',
    { '05-x.conf': { name: 'x', type: 'meta', delegate: { type: 'mesh' } } },
    'no uses 05-x.conf, and mesh is not in it',
    'no uses 05-x.conf, and mesh is not in it',
  ],
])('%s', (_, files, containerd, crio) => {
  const readings = runtimeReadings(folderOf(files), 'mesh')
  it.each<[RuntimeReading['runtime'], string, string]>([
    ['containerd', 'containerd', containerd],
    ['cri-o', 'CRI-O', crio],
  ])('%s', (runtime, label, expected) => {
    const reading = readings.find((one) => one.runtime === runtime)
    expect(`${reading?.runs} ${reading?.text}`).toBe(expected.replace(/^\w+/, `$& ${label}`))
    // Every reading of a plugin that does not run has advice.
    expect(reading?.next === undefined).toBe(reading?.runs === 'yes')
  })
})

test('a reading has the facts of its sentence', () => {
  const files = { '00-multus.conflist': list(multus(CALICO), 'mesh'), '05-broken.conf': BROKEN }
  expect(runtimeReadings(folderOf(files), 'mesh')[0]).toMatchObject({
    runtime: 'containerd',
    runs: 'yes',
    primary: '00-multus.conflist',
    plugins: 2,
    place: 2,
    copies: ['plugins[0].delegates[0].plugins[2]'],
    through: 'plugins[0].delegates[0].plugins[2]',
  })
})

test('a long reason is shortened', () => {
  const [reading] = runtimeReadings(folderOf({ 'a.conf': new Error('x'.repeat(10_000)) }), 'mesh')
  expect(reading?.text.length).toBeLessThan(300)
})

describe('judgeReadings', () => {
  const broken = runtimeReadings(folderOf({ '05-broken.conf': BROKEN, '10-calico.conflist': CALICO }), 'mesh')
  const fine = runtimeReadings(folderOf({ '10-calico.conflist': CALICO }), 'mesh')
  const behind = runtimeReadings(folderOf({ '05-a.json': single('ptp'), '10-calico.conflist': CALICO }), 'mesh')
  const unknown = runtimeReadings(folderOf({ '00-multus.conf': multus(undefined, { clusterNetwork: 'pods' }) }), 'mesh')

  it.each([
    ['all run the plugin', fine, undefined, 'ok'],
    ['no runtime runs it', behind, undefined, 'fail'],
    ['some runtimes run it, and the node’s runtime is unknown', broken, undefined, 'warn'],
    ['the runtime of the node runs it', broken, 'cri-o', 'ok'],
    ['the runtime of the node does not run it', broken, 'containerd', 'fail'],
    ['Multus runs another network', unknown, undefined, 'warn'],
    ['nothing is known', [], undefined, 'ok'],
  ] as const)('%s', (_, readings, runtime, expected) => {
    expect(judgeReadings(readings, runtime).verdict).toBe(expected)
  })
})
