import { type Plugin, type PluginIo, type PluginOutcome, runPlugin } from '@cni/skel'
import { fakeNetns, memoryStateFolder } from '@cni/skel/testing'
import { decodeResult, netConfVersion, normalizeNetConf } from '@cni/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { environment, SECRET, stdin } from '../test/fuzz/input.ts'
import { passThrough, redirecting } from '../test/fuzz/plugins.ts'

// CNI_FUZZ_RUNS=100000 makes a long run with a random seed. The report of a failure has the seed.
const { CNI_FUZZ_RUNS } = process.env
const params = CNI_FUZZ_RUNS ? { numRuns: Number(CNI_FUZZ_RUNS) } : { numRuns: 400, seed: 20_261_121 }
const timeoutMs = CNI_FUZZ_RUNS ? 3_600_000 : 30_000

describe('for any input', () => {
  it('a plugin that returns prevResult follows the protocol', () => fuzz(() => ({ plugin: passThrough })), timeoutMs)

  it(
    'a plugin that changes a namespace follows the protocol, and undoes a failed ADD',
    () =>
      fuzz(() => {
        const world = new Set<string>()
        return { plugin: redirecting(world), world }
      }),
    timeoutMs,
  )
})

type Subject = () => { plugin: Plugin; world?: Set<string> }

async function fuzz(subject: Subject): Promise<void> {
  const property = fc.asyncProperty(environment, stdin, async (env, input) => {
    const { plugin, world } = subject()
    const opened: string[] = []
    const start = performance.now()
    const outcome = await runPlugin(plugin, {
      env,
      stdin: () => input,
      netns: {
        open(path) {
          opened.push(path)
          if (path !== '/run/netns/pod' && path !== '/own') throw new Error(`No network namespace at "${path}"`)
          return fakeNetns(path, path === '/own' ? 1 : 2)
        },
        current: () => fakeNetns('/own', 1),
      },
      stateFolder: memoryStateFolder,
    })
    expect(performance.now() - start).toBeLessThan(2000)
    expectDocument(env, input, outcome)
    expectDelSucceeds(env, outcome)
    expect(opened.filter((path) => path !== env.CNI_NETNS)).toEqual([])
    const changed = env.CNI_COMMAND === 'ADD' && outcome.exitCode === 0 ? [env.CNI_NETNS] : []
    if (world !== undefined) expect([...world]).toEqual(changed)
    expect(outcome.stdout + outcome.stderr).not.toContain(SECRET)
    for (const line of outcome.stderr.split('\n').slice(0, -1)) JSON.parse(line)
  })
  await fc.assert(property, { ...params, timeout: 2500 })
}

/** Expects one document of the right version on stdout, or an empty stdout if the verb prints nothing. */
function expectDocument(
  { CNI_COMMAND }: PluginIo['env'],
  input: Uint8Array,
  { exitCode, stdout }: PluginOutcome,
): void {
  expect([0, 1]).toContain(exitCode)
  if (exitCode === 1) {
    const { code, ...error } = JSON.parse(stdout)
    expect(Number.isInteger(code) && code > 0).toBe(true)
    expect(error).toMatchObject({ cniVersion: expect.stringMatching(/./), msg: expect.stringMatching(/./) })
  } else if (CNI_COMMAND === 'ADD') {
    const conf = normalizeNetConf(JSON.parse(Buffer.from(input).toString()))
    const result = JSON.parse(stdout)
    expect(result.cniVersion).toBe(netConfVersion(conf))
    decodeResult(result)
  } else if (CNI_COMMAND === 'VERSION') {
    expect(JSON.parse(stdout)).toMatchObject({ cniVersion: '1.1.0' })
  } else {
    expect(stdout).toBe('')
  }
}

/** Errors with which the protocol lets DEL fail: variables, JSON, network name, version. */
const DEL_FAILURES = [
  /^1 incompatible CNI versions$/,
  /^[34] (?:missing containerID|invalid characters in containerID|interface name |required env variables )/,
  /^6 error unmarshall network config: /,
  /^7 (?:missing network name|invalid characters found in network name)/,
]

function expectDelSucceeds({ CNI_COMMAND }: PluginIo['env'], { exitCode, stdout }: PluginOutcome): void {
  if (CNI_COMMAND !== 'DEL' || exitCode === 0) return
  const { code, msg } = JSON.parse(stdout)
  expect(DEL_FAILURES.some((failure) => failure.test(`${code} ${msg}`)) ? '' : `${code} ${msg}`).toBe('')
}
