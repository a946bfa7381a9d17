import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { fixtureRuntimes, type Runtime } from './runtimes.ts'

const { folder, runtimes } = await fixtureRuntimes('recorder')
afterAll(() => rmSync(folder, { recursive: true }))

const COMPLETE = {
  CNI_CONTAINERID: 'some-container-id',
  CNI_NETNS: '/proc/self/ns/net',
  CNI_NETNS_OVERRIDE: '1',
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/some/cni/path',
}
const OK = 0
const MISSING_NAME = 'missing network name'

type Row = [given: string, code: number, text?: string]

/** Stdin of an ADD with a complete environment, and the expected outcome. */
const BODIES: Row[] = [
  ['', 6],
  ['{', 6],
  ['null', 7, MISSING_NAME],
  ['[]', 6],
  ['{}', 7, MISSING_NAME],
  ['{"name":""}', 7, MISSING_NAME],
  ['{"name":null,"cniVersion":"1.0.0"}', 7, MISSING_NAME],
  ['{"name":5}', 6],
  ['{"name":"-a"}', 7, 'invalid characters found in network name'],
  ['{"name":"a b"}', 7, 'invalid characters found in network name'],
  ['{"name":"a\\n"}', 7, 'invalid characters found in network name'],
  ['{"name":"é"}', 7, 'invalid characters found in network name'],
  ['{"name":"a","cniVersion":5}', 6],
  ['{"name":"a"}', OK],
  ['{"name":"a","cniVersion":""}', OK],
  ['{"name":"a","cniVersion":null}', OK],
  ['{"name":"a","cniVersion":"9.9.9"}', 1, 'incompatible CNI versions'],
  ['{"name":"a","cniVersion":"abc"}', 1, 'incompatible CNI versions'],
  ['{"NAME":"a","CNIVERSION":"1.0.0"}', OK],
  ['{"name":"a","cniVersion":"1.0.0"} trailing', 6],
  ['{"name":"a","cniVersion":"1.0.0"}\n', OK],
  ['\uFEFF{"name":"a","cniVersion":"1.0.0"}', 6],
  ['{"name":"x y","name":"y","cniVersion":"1.0.0"}', OK],
]

const CONFIG = 'config version does not allow'
const PLUGIN = 'plugin version does not allow'

type Verdict = [code: number, text?: string]

/** Versions of the configuration: outcomes of CHECK, and of GC and STATUS. */
const GATES: [version: string, check: Verdict, others: Verdict][] = [
  ['', [1, CONFIG], [1, CONFIG]],
  ['0.3.1', [1, CONFIG], [1, CONFIG]],
  ['0.4.0', [OK], [1, CONFIG]],
  ['1.0.0', [OK], [1, CONFIG]],
  ['1.1.0', [OK], [OK]],
  ['1.2.0', [1, PLUGIN], [1, PLUGIN]],
  ['1', [1, 'incompatible CNI versions'], [1, CONFIG]],
  ['1.1', [1, 'incompatible CNI versions'], [1, 'incompatible CNI versions']],
  ['abc', [6], [6]],
  ['1.1.0-rc1', [6], [6]],
  ['1.1.0.0', [6], [6]],
  ['-1.0.0', [1, CONFIG], [1, CONFIG]],
]

/** Environments that contain only the verb. */
const BARE: Row[] = [
  ['ADD', 4, 'required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH] missing'],
  ['CHECK', 4, 'required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH] missing'],
  ['DEL', 4, 'required env variables [CNI_CONTAINERID,CNI_IFNAME,CNI_PATH] missing'],
  ['GC', 4, 'required env variables [CNI_PATH] missing'],
  ['STATUS', 4, 'required env variables [CNI_PATH] missing'],
  ['VERSION', OK],
  ['NOPE', 4, 'unknown CNI_COMMAND: NOPE'],
  ['add', 4, 'unknown CNI_COMMAND: add'],
]

describe.each(runtimes)('the protocol in a real process, $name', (runtime) => {
  it.each(BODIES)('ADD with stdin %j: %i %s', async (stdin, code, text) => {
    expectOutcome(await execute(runtime, { ...COMPLETE, CNI_COMMAND: 'ADD' }, stdin), code, text, true)
  })

  it.each(GATES)('cniVersion %j', async (cniVersion, check, others) => {
    const stdin = JSON.stringify({ name: 'a', cniVersion })
    for (const [verb, [code, text]] of [
      ['CHECK', check],
      ['GC', others],
      ['STATUS', others],
    ] as const) {
      const outcome = await execute(runtime, { ...COMPLETE, CNI_COMMAND: verb }, stdin)
      expectOutcome(outcome, code, text === CONFIG || text === PLUGIN ? `${text} ${verb}` : text, false)
    }
  })

  it.each(BARE)('%s in an empty environment', async (verb, code, text) => {
    const outcome = await execute(runtime, { CNI_COMMAND: verb }, '{"name":"a","cniVersion":"1.1.0"}')
    expectOutcome(outcome, code, text, verb === 'VERSION')
  })

  it('an unknown verb is reported after the configuration is checked, an invalid value before missing ones', async () => {
    expectOutcome(await execute(runtime, { CNI_COMMAND: 'NOPE' }, '{'), 6, undefined, false)
    const wrong = { CNI_COMMAND: 'ADD', CNI_IFNAME: 'a/b' }
    expectOutcome(await execute(runtime, wrong, '{"name":"a"}'), 4, 'interface name contains', false)
  })

  it('a version is supported only by its exact text', async () => {
    const env = { ...COMPLETE, CNI_COMMAND: 'ADD', FIXTURE_VERSIONS: '1.0.0' }
    expectOutcome(await execute(runtime, env, '{"name":"a","cniVersion":"1.1.0"}'), 1, 'incompatible', false)
    expectOutcome(await execute(runtime, env, '{"name":"a","cniVersion":"1.0.0"}'), OK, undefined, true)
  })
})

interface Outcome {
  readonly code: number | null
  readonly stdout: string
}

function execute({ argv: [file, ...args] }: Runtime, env: Record<string, string>, stdin: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { env, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stdin.on('error', () => undefined).end(stdin)
    child.on('close', (code) => resolve({ code, stdout }))
  })
}

/** Expects one document or an empty stdout, and exit code 0 or 1. */
function expectOutcome({ code, stdout }: Outcome, expected: number, text: string | undefined, prints: boolean): void {
  expect(code).toBe(expected === OK ? 0 : 1)
  if (expected === OK && !prints) {
    expect(stdout).toBe('')
    return
  }
  const document: unknown = JSON.parse(stdout)
  if (expected === OK) expect(document).not.toHaveProperty('code')
  else expect(document).toMatchObject({ code: expected, msg: expect.stringContaining(text ?? '') })
}
