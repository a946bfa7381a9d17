import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { build, built } from './programs.ts'

const runtime = built.replace('linux-x64', 'linux-arm64')
const QEMU = '/usr/bin/qemu-aarch64-static'

/** `write` has number 64 there. */
const SOURCE = `const tell = (text) => { const bytes = host.encode(text + '\\n'); host.syscall(64, 1, bytes, bytes.length) }
host.main = async () => {
  tell(host.arch + ' ' + host.args().slice(1))
  await 0
  tell(JSON.stringify(JSON.parse('{"a":[1,2.5,"é"]}')))
  const pid = host.spawn('/no/such/program', [], [], [])
  tell(String(pid < 0 || pid > 0))
}`

// Bytecode serves every processor, and an image is made by the runtime of its own.
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

  it('refuses what is no bytecode', () => {
    const { stderr, status } = spawnSync(QEMU, [runtime, runtime, '/dev/null/x'], { encoding: 'utf8' })
    expect([stderr, status]).toEqual([`cni-runtime: ${runtime} is not bytecode of cni-compile\n`, 1])
  })
})
