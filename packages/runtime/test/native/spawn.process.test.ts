import { describe, expect, it } from 'vitest'
import { built, run } from './programs.ts'

const WAIT =
  'const wait = (pid) => { const status = new Int32Array(1); host.syscall(61, pid, status, 0, null); return status[0] >> 8 }\n'

describe.skipIf(!built)('spawn', () => {
  it('passes arguments, environment, descriptors and folder, in a process group of its own', () => {
    const { stdout } = run(`${WAIT}host.main = () => {
  const script = 'echo "$1 $A $(pwd)"; kill -0 -$$ && echo group; grep -E "SigBlk|SigIgn" /proc/self/status'
  const all = new Uint8Array(8).fill(255)
  host.syscall(14, 0, all, null, 8) // the mask of the parent is full
  print(wait(host.spawn('/bin/sh', ['sh', '-c', script, 'sh', 'é\\ud800'], ['A=b', 'PATH=/bin:/usr/bin'], [0, 1, 2], '/usr')))
}`)
    expect(stdout).toContain('é� b /usr\ngroup\n')
    expect(stdout).toMatch(/SigBlk:\t0+\nSigIgn:\t0+\n0\n$/)
  })

  it('swaps descriptors', () => {
    const { stdout, stderr } = run(
      `${WAIT}host.main = () => print(wait(host.spawn('/bin/sh', ['sh', '-c', 'echo out; echo err >&2'], [], [0, 2, 1])))`,
    )
    expect([stdout, stderr]).toEqual(['err\n0\n', 'out\n'])
  })

  it.each([
    ["'/no/such/program', ['x'], [], [0, 1, 2]", '-2'],
    ["'/etc', ['x'], [], [0, 1, 2]", '-13'],
    ["'/bin/true', ['x'], [], [0, 1, 2], '/no/such/folder'", '-2'],
    ["'/bin/true', ['x'], [], [0, 1, 999]", '-9'],
    ["'/bin/true', ['a\\0b'], [], [0, 1, 2]", '-22'],
  ])('returns the error of the child: %s', (call, result) => {
    const { stdout } = run(`host.main = () => print(host.spawn(${call}) + ' ' + host.syscall(61, -1, null, 0, null))`)
    // -10 (ECHILD): no child is left.
    expect(stdout).toBe(`${result} -10\n`)
  })
})
