import { definePlugin, netConf, runPlugin } from '@cni/skel'
import { fakeNetns } from '@cni/skel/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'

const plugin = definePlugin({
  name: 'p',
  about: 'about',
  config: netConf({ port: z.optional(z.int()) }),
  add: (c) => c.prevResult ?? {},
  check() {},
  del() {},
  gc() {},
  status() {},
})

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'eth0', 'a b', '/proc/self/ns/net', '1'))
const env = fc.record({
  CNI_COMMAND: fc.constantFrom('ADD', 'CHECK', 'DEL', 'GC', 'STATUS', 'VERSION', 'add', '', '__proto__'),
  CNI_CONTAINERID: fc.oneof(text, fc.constant('abc')),
  CNI_NETNS: text,
  CNI_IFNAME: fc.oneof(text, fc.constant('eth0')),
  CNI_ARGS: text,
  CNI_PATH: fc.oneof(text, fc.constant('/opt/cni/bin')),
  CNI_NETNS_OVERRIDE: text,
})
const conf = fc.record(
  {
    name: fc.oneof(fc.constant('net'), fc.jsonValue()),
    cniVersion: fc.oneof(fc.constantFrom('0.1.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0', '1.1', 'x'), fc.jsonValue()),
    prevResult: fc.oneof(
      fc.jsonValue(),
      fc.record({ cniVersion: fc.constantFrom('0.4.0', '1.0.0', ''), ips: fc.jsonValue() }, { requiredKeys: [] }),
    ),
    port: fc.jsonValue(),
    'cni.dev/valid-attachments': fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const stdin = fc.oneof(
  conf.map((value) => JSON.stringify(value)),
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'binary' }),
  fc.json(),
)

describe('whatever comes in', () => {
  it('one JSON document goes out where one is due, nothing elsewhere, and the exit code is 0 or 1', async () => {
    await fc.assert(
      fc.asyncProperty(env, stdin, async (variables, input) => {
        const { exitCode, stdout, stderr } = await runPlugin(plugin, {
          env: variables,
          stdin: () => input,
          netns: { open: (path) => fakeNetns(path, 2), current: () => fakeNetns('own', 1) },
        })
        const command = variables.CNI_COMMAND
        if (exitCode === 1) {
          expect(JSON.parse(stdout)).toMatchObject({ cniVersion: expect.any(String), msg: expect.any(String) })
          expect(Number.isInteger(JSON.parse(stdout).code)).toBe(true)
        } else if (command === 'ADD' || command === 'VERSION') {
          expect(JSON.parse(stdout)).toMatchObject({ cniVersion: expect.any(String) })
        } else {
          expect(stdout).toBe('')
        }
        if (command !== '') for (const line of stderr.split('\n').slice(0, -1)) JSON.parse(line)
      }),
      { numRuns: 1500 },
    )
  })
})
