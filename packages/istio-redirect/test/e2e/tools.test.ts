import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, start } from '@cni/host'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url))
const runtimes: ReadonlyArray<readonly [string, Parameters<typeof run>[0]]> = [
  ['compiled', [`${dist}/bin/istio-redirect`]],
  ['bundle on Node', [process.execPath, `${dist}/bundle/istio-redirect.cjs`]],
]

describe.each(runtimes)('istio-redirect, %s', (_, program) => {
  let pod: Netns & AsyncDisposable
  beforeEach(async () => {
    for (const file of program) if (!existsSync(file)) throw new Error(`${file} is missing: npm run build`)
    pod = await tempNetns()
    await inside(['ip', 'link', 'set', 'lo', 'up'])
  })
  afterEach(() => pod[Symbol.asyncDispose]())

  const env = { PATH: process.env.PATH ?? '' }
  const inside = (argv: Parameters<typeof run>[0]) => netns.exec(pod, argv, { env, reject: false, timeout: 20_000 })
  const iptables = (...flags: string[]) => inside([...program, 'iptables', ...flags])
  const withAddresses = async (...addresses: string[]) => {
    await inside(['ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer'])
    for (const address of addresses) await inside(['ip', 'addr', 'add', address, 'dev', 'eth0', 'nodad'])
    await inside(['ip', 'link', 'set', 'eth0', 'up'])
  }

  test('starts with an empty environment', async () => {
    expect((await run([...program, '--help'], { env: {} })).stdout).toContain('iptables')
  })

  test('ends without an error when its reader closes the pipe', async () => {
    const [command, ...args] = [...program, '--help']
    if (!command) throw new Error('no program')
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 10_000 })
    child.stdout.destroy()
    const complaints: string[] = []
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()))
    const [exitCode] = await once(child, 'close')
    expect([exitCode, complaints]).toEqual([0, []])
  })

  test('a signal ends it while it waits for its input', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'istio-redirect-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const pipe = join(folder, 'pod.yaml')
    await run(['mkfifo', pipe])
    const { done, kill } = start([...program, 'rules', '--pod', pipe], { env, timeout: 10_000, killGrace: 10 })
    // The pipe can be opened once it has a reader.
    const open = () => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    const writer = await vi.waitFor(open, { timeout: 5000 })
    kill('SIGTERM')
    await expect(done).rejects.toMatchObject({ code: 'SIGNAL', signal: 'SIGTERM' })
    closeSync(writer)
  })

  test.each([
    ['IPv4', '10.1.2.3/24', '127.0.0.1'],
    ['IPv6', 'fd00::3/64', '[::1]'],
  ])('validates the rules of %s with a connection of its own', async (_family, address, host) => {
    await withAddresses(address)
    // root stands in for the proxy's user: only this user's connections to itself are redirected.
    const { exitCode, stdout } = await iptables('-b', '*', '-i', '*', '-u', '0', '--run-validation')
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`Listening on ${host}:15006`)])
    expect(stdout).toContain('Validation passed')
  })

  test('has exit code 126 if there are no rules', async () => {
    await withAddresses('10.1.2.3/24')
    const { exitCode, stdout } = await iptables('--run-validation', '--skip-rule-apply', '--probe-timeout', '300ms')
    expect([exitCode, stdout]).toEqual([126, expect.stringContaining('Validation failed: validation timeout')])
  })

  test('listens once on a port that is given twice', async () => {
    await withAddresses('10.1.2.3/24')
    const { exitCode, stdout } = await iptables(
      ...['--run-validation', '--skip-rule-apply', '-p', '15001', '-z', '15001', '--probe-timeout', '300ms'],
    )
    expect(exitCode).toBe(126)
    expect(stdout.match(/Listening on/g)).toHaveLength(1)
  })

  test('prints no control characters of a hostile file', async () => {
    const argv: Parameters<typeof run>[0] = [...program, 'rules', '--pod', '/nowhere/web\u001b[2J\u009b2J\u202e\u2066']
    const { stderr } = await run(argv, { env, reject: false })
    expect(stderr).toContain('/nowhere/web\\u001b[2J\\u009b2J\\u202e\\u2066')
    expect(stderr).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u)
  })

  test('prints rules that iptables-restore accepts', async () => {
    await withAddresses('10.1.2.3/24')
    const file = new URL('../goldens/tools/pod.yaml', import.meta.url).pathname
    const { stdout } = await inside([...program, 'rules', '--pod', file])
    await netns.exec(pod, ['iptables-restore', '--noflush'], { env, input: stdout })
    expect((await inside(['iptables-save'])).stdout).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })
})
