import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { build, built, run, shell } from './programs.ts'

const HELLO = 'host.main = () => print("hello")'
const DEEP = `host.main = () => {
  let depth = 0
  const down = () => { depth++; down() }
  try { down() } catch (error) { print(depth > 50 && error instanceof RangeError ? 'RangeError' : error) }
  try { JSON.parse('['.repeat(500000)) } catch (error) { print(error.name) }
  let nested = []
  for (let i = 0; i < 100000; i++) nested = [nested]
  try { JSON.stringify(nested) } catch (error) { print(error.name) }
  print(/^(((a|b)*)*)*$/.test('ab'.repeat(100000)))
}`

describe.skipIf(!built)('a start', () => {
  it('runs boot, main, jobs and the loop', () => {
    const source = `host.boot = () => print('boot ' + host.args().slice(1))
host.main = () => { print('main ' + host.snapshotting()); Promise.resolve().then(() => print('job')) }
let turns = 0
host.loop = () => { print('loop'); if (turns++ === 0) Promise.resolve().then(() => print('job of loop')); return turns < 3 }`
    const { stdout, status } = run(source, ['one', 'two'])
    expect(stdout).toBe('boot one,two\nmain false\njob\nloop\njob of loop\nloop\nloop\n')
    expect(status).toBe(0)
  })

  it('exits with process.exitCode', () => {
    expect(run('globalThis.process = { exitCode: 7 }; host.main = () => {}').status).toBe(7)
  })

  it('reads arguments and environment anew, with invalid UTF-8 replaced', () => {
    const { program } = build(
      'host.main = () => print(JSON.stringify([host.args().slice(1), host.env().A, host.env().B]))',
    )
    expect(shell(program, `env -i A=$'x\\xffy' B=1 $P $'\\xc3\\xa9' $'\\xed\\xa0\\x80'`)).toBe(
      '[["é","���"],"x�y","1"]\n',
    )
  })

  it('draws new random numbers', () => {
    const { program } = build('host.main = () => print(Math.random())')
    expect(new Set([1, 2, 3].map(() => shell(program, '$P'))).size).toBe(3)
  })

  it('needs no /proc, no /dev and no other file', { skip: process.getuid?.() !== 0 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'scratch-'))
    cpSync(build(HELLO).program, join(folder, 'program'))
    expect(shell(folder, 'chroot $P /program')).toBe('hello\n')
    expect(shell(folder, 'chroot $P /program 0<&- 2>&-')).toBe('hello\n')
  })

  it('opens closed standard descriptors, so that files never take their numbers', () => {
    const { program } = build(
      'host.main = () => { const fd = host.syscall(257, -100, "/", 0, 0); if (fd < 3) host.syscall(231, 9) }',
    )
    for (const closed of ['0<&-', '1>&-', '2>&-', '0<&- 1>&- 2>&-'])
      expect(shell(program, `$P ${closed}; echo $?`)).toBe('0\n')
  })

  it.each([
    'ulimit -s 256',
    'ulimit -s 256; export X=$(head -c 100000 /dev/zero | tr "\\0" x)',
    'ulimit -s unlimited',
    'true',
  ])('turns endless recursion into an error: %s', (limit) => {
    const { program } = build(DEEP)
    expect(shell(program, `${limit}; $P`)).toBe('RangeError\nSyntaxError\nRangeError\ntrue\n')
  })

  it('runs under ulimit -v 200000, and reports out of memory as an error', () => {
    const { program } = build(`host.main = () => {
  const all = []
  try { for (;;) all.push(new Uint8Array(1 << 20)) } catch (error) { all.length = 0; print(error) }
}`)
    expect(shell(program, 'ulimit -v 200000; $P')).toBe('InternalError: out of memory\n')
    expect(shell(program, '$P')).toBe('InternalError: out of memory\n')
  })

  it.each([70_000, 80_000, 100_000, 200_000, 400_000, 'unlimited'])(
    'reports out of memory when no memory is left for anything else: ulimit -v %s',
    (limit) => {
      const { program } = build(
        'const all = []\nhost.main = () => { for (;;) all.push({ all }) }\nhost.crash = undefined',
      )
      expect(shell(program, `ulimit -v ${limit}; $P 2>&1; echo $?`)).toMatch(/^InternalError: out of memory\n.*1\n$/s)
    },
  )

  it.each([
    [0x10_000, 'this file is cut off'],
    [0x1000, 'this file is cut off'],
    [1, 'this file is cut off'],
  ])('reports a truncated file, %i bytes missing', (missing, sentence) => {
    const { program } = build(HELLO)
    truncateSync(program, readFileSync(program).length - missing)
    const { stderr, status } = spawnSync(program, { encoding: 'utf8' })
    expect(stderr).toBe(`program: ${sentence}, or was written to while it runs: copy it again\n`)
    expect(status).toBe(1)
  })

  it('rejects an image of another version', () => {
    const { program } = build(HELLO)
    const bytes = readFileSync(program)
    bytes.fill(
      'other',
      bytes.indexOf('cni-img\u0001', bytes.length - 0x40_000) + 8,
      bytes.indexOf('cni-img\u0001', bytes.length - 0x40_000) + 13,
    )
    writeFileSync(`${program}2`, bytes)
    chmodSync(`${program}2`, 0o755)
    const { stderr, status } = spawnSync(`${program}2`, { encoding: 'utf8' })
    expect(stderr).toBe(
      'program2: the image in this file was made by another version of cni-runtime: build the program again\n',
    )
    expect(status).toBe(1)
  })

  it('runs under another name, and with bytes after its end', () => {
    const { program } = build(HELLO)
    expect(shell(program, 'cp $P $P.other; head -c 100000 /dev/zero >> $P.other; $P.other')).toBe('hello\n')
  })

  it('has no eval', () => {
    const { stdout } = run(`host.main = () => {
  for (const f of [() => eval('1'), () => new Function('1'), () => (async () => {}).constructor('1')]) try { f(); print('!') } catch (error) { print(error.name) }
}`)
    expect(stdout).toBe('TypeError\nTypeError\nTypeError\n')
  })
})
