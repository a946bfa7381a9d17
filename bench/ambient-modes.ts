/** Measures the cost of redirection for mesh traffic, in pods and on the node. */

import { SuiteReport, settings } from './lib/race/suite.ts'
import { modeNodes, NO_MESH } from './lib/traffic/mode-nodes.ts'
import { type Traffic, trafficFrom } from './lib/traffic/traffic.ts'

const used = settings({ runs: 10, connections: 300, requests: 300, megabytes: 64 })
/** Source and destination pods of the measured traffic, with labels for the report. */
const ways = [
  { what: 'to a pod in the mesh', from: 'srv', to: 'app' },
  { what: 'from a pod in the mesh', from: 'app', to: 'srv' },
] as const

const suite = new SuiteReport(
  'Traffic of pods on a ptp network through a stand-in of ztunnel, by where it is redirected: short connections, one after ' +
    'the other, one long connection, requests on one connection',
  used,
)
await using stack = new AsyncDisposableStack()
const nodes = await modeNodes(stack)
// Every measured value is a time or a cost, so a larger value is always worse.
const measures = [
  { of: 'a short connection', value: ({ connectionMs }: Traffic) => connectionMs },
  { of: 'a megabyte of a long connection', value: ({ megabyteMs }: Traffic) => megabyteMs },
  { of: 'a request', value: ({ requestMs }: Traffic) => requestMs },
] as const
const samples = new Map<string, Traffic[]>()
const key = (name: string, what: string): string => `${name} ${what}`
// Alternates between the redirection modes, because the machine's speed changes during a run.
for (let round = 0; round <= used.runs; round += 1) {
  for (const { name, node, passed } of nodes) {
    for (const { what, from, to } of ways) {
      const before = passed()
      const traffic = await trafficFrom(node, { from, to, ...used })
      const expected = name === NO_MESH ? 0 : traffic.opened
      // Traffic that bypasses the stand-in for ztunnel would give times that are too short.
      if (passed() - before !== expected) {
        throw new Error(`${name}: of ${traffic.opened} connections ${what} ${passed() - before} passed through ztunnel`)
      }
      if (round > 0) samples.set(key(name, what), [...(samples.get(key(name, what)) ?? []), traffic])
    }
  }
  process.stderr.write(`  round ${round} of ${used.runs}\n`)
}
for (const { what } of ways) {
  for (const { of, value } of measures) {
    const entries = nodes.map(({ name }) => ({
      name,
      reference: name === NO_MESH,
      samples: (samples.get(key(name, what)) ?? []).map((traffic) => value(traffic) * 1000),
    }))
    suite.add(`${of} ${what}`, 'µs', entries)
  }
}
suite.write()
