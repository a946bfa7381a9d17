import { expect, test } from 'vitest'
import { runtimeReadings } from '../../../../installer/src/conf/runtime-readings.ts'
import { checkRuntimes } from './check-install.ts'

const folder = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))
const LIST = '{"name":"pods","plugins":[{"type":"calico"},{"type":"istio-cni"}]}'
const broken = runtimeReadings(folder({ '05-broken.conf': '{', '10-calico.conflist': LIST }), 'istio-cni')
const behind = runtimeReadings(folder({ '05-a.conf': '{"type":"ptp"}', '10-calico.conflist': LIST }), 'istio-cni')

test.each([
  ['one of two runtimes has no network: a warning', broken, undefined, ['warn', 'ok']],
  ['the runtime of the node has no network: a failure', broken, 'containerd', ['fail']],
  ['the runtime of the node has a network: ok', broken, 'cri-o', ['ok']],
  ['no runtime runs the plugin: failures', behind, undefined, ['fail', 'fail']],
] as const)('%s', (_, readings, runtime, states) => {
  const checks = checkRuntimes(readings, readings, runtime)
  expect(checks.map(({ state }) => state)).toEqual(states)
  for (const { state, next } of checks) expect(next === undefined).toBe(state === 'ok')
})

test('an entry that the agent will add needs no next step', () => {
  const fine = runtimeReadings(folder({ '10-calico.conflist': LIST }), 'istio-cni')
  const before = runtimeReadings(folder({ '10-calico.conflist': '{"name":"a","plugins":[{"type":"a"}]}' }), 'istio-cni')
  expect(checkRuntimes(before, fine, undefined)).toMatchObject([
    { state: 'fail', detail: 'containerd uses 10-calico.conflist, and istio-cni is not in it', next: undefined },
    { state: 'fail', next: undefined },
  ])
})
