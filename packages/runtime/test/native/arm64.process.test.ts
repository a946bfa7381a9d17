import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { build, built } from './programs.ts'

const runtime = built.replace('linux-x64', 'linux-arm64')
const QEMU = '/usr/bin/qemu-aarch64-static'

/** Prints a line: `write` has number 64 on arm64. */
const SOURCE = `const tell = (text) => { const bytes = host.encode(text + '\\n'); host.syscall(64, 1, bytes, bytes.length) }
host.main = async () => {
  tell(host.arch + ' ' + host.args().slice(1))
  await 0
  tell(JSON.stringify(JSON.parse('{"a":[1,2.5,"é"]}')))
  const pid = host.spawn('/no/such/program', [], [], [])
  tell(String(pid < 0 || pid > 0))
}`

// All processors share bytecode. Each processor's own runtime makes the image.
describe.skipIf(!built || !existsSync(runtime) || !existsSync(QEMU))('a program for arm64', () => {
  it('is made by qemu from bytecode of x64, twice the same, and runs', () => {
    const { bytecode, program } = build(SOURCE)
    const files = [`${program}.arm64`, `${program}.again`]
    for (const file of files) {
      const { stderr, status } = spawnSync(QEMU, [runtime, bytecode, file], { encoding: 'utf8' })
      expect([stderr, status]).toEqual(['', 0])
    }
    const [one = '', two = ''] = files
    expect(readFileSync(one).equals(readFileSync(two))).toBe(true)
    const { stdout, stderr } = spawnSync(QEMU, [one, 'first'], { encoding: 'utf8' })
    expect([stderr, stdout]).toEqual(['', 'arm64 first\n{"a":[1,2.5,"é"]}\ntrue\n'])
  })

  it('rejects a file that is not bytecode', () => {
    const { stderr, status } = spawnSync(QEMU, [runtime, runtime, '/dev/null/x'], { encoding: 'utf8' })
    expect([stderr, status]).toEqual([`cni-runtime: ${runtime} is not bytecode of cni-compile\n`, 1])
  })
})

const tls = `${runtime}-tls`

// qemu-user has no seccomp filter: the child must refuse to continue.
describe.skipIf(!built || !existsSync(tls) || !existsSync(QEMU))(
  'TLS on arm64 without a filter of system calls',
  () => {
    it('reports that the kernel refused the filter', () => {
      const { bytecode, program } = build(`const [SOCKETPAIR, READ, WRITE] = [199, 63, 64]
const pair = () => { const fds = new Int32Array(2); host.syscall(SOCKETPAIR, 1, 1, 0, fds); return fds }
host.main = () => {
  const [network, plain] = [pair(), pair()]
  host.tls(network[1], plain[1], undefined, undefined, undefined, 'x', undefined, false)
  const report = new Uint32Array(262)
  const count = host.syscall(READ, plain[0], report, 1048)
  const bytes = host.encode([count, report[0], report[1], report[2]].join() + '\\n')
  host.syscall(WRITE, 1, bytes, bytes.length)
}`)
      expect(spawnSync(QEMU, [tls, bytecode, program], { encoding: 'utf8' }).stderr).toBe('')
      const { stdout } = spawnSync(QEMU, [program], { encoding: 'utf8', timeout: 20_000 })
      const [SANDBOX, EINVAL, CALLS] = [1, 22, 5]
      expect(stdout).toBe(`1048,${SANDBOX},${EINVAL},${CALLS}\n`)
    })
  },
)
