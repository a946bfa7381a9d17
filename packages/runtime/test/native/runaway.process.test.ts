import { describe, expect, it } from 'vitest'
import { built, run } from './programs.ts'

describe.skipIf(!built)('code that never returns', () => {
  it.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches', 'for (;;) try { for (;;); } catch {} finally { print("finally") }'],
    ['a regular expression', '/^(?:(?:a+)+)+$/.test("a".repeat(40) + "b")'],
    ['a sort', '[3, 2, 1].sort(() => { for (;;); })'],
    ['an executor', 'new Promise(() => { for (;;); }).catch(() => print("caught"))'],
    ['an async function', 'const f = async () => { for (;;); }; f().catch(() => print("caught"))'],
    ['a job', 'Promise.resolve().then(() => { for (;;); }).catch(() => print("caught"))'],
    ['the rest of an async function', 'const f = async () => { await 0; for (;;); }; f().catch(() => print("caught"))'],
    ['a thenable', 'Promise.resolve({ then() { for (;;); } }).catch(() => print("caught"))'],
  ])('is ended by the deadline and cannot catch the interruption: %s', (_, code) => {
    const { stdout, stderr } = run(`host.main = () => { host.setDeadline(50, -1); ${code} }
host.loop = () => { print('loop'); return false }`)
    expect(stderr).toBe('interrupted InternalError: interrupted\n')
    expect(stdout).toBe('loop\n')
  })

  it('does not starve the loop if it is an endless chain of jobs', () => {
    const { stdout, stderr } = run(`const forever = () => Promise.resolve().then(forever)
host.main = () => { host.setDeadline(50, -1); forever() }
host.loop = () => { print('loop'); host.syscall(231, 0) }`)
    expect([stdout, stderr]).toEqual(['loop\n', ''])
  })

  it('makes the loop poll without waiting while jobs are left', () => {
    const { stdout } = run(`host.main = async () => {
  host.setDeadline(1, -1)
  host.syscall(7, null, 0, 5) // poll: 5 ms
  await 0
  await 0
}
host.loop = (hasJobs) => { print(hasJobs); return hasJobs }`)
    expect(stdout).toBe('true\nfalse\n')
  })

  it('keeps jobs that are left after the deadline: they run to their end', () => {
    const { stdout } = run(`host.main = async () => {
  host.setDeadline(1, -1)
  host.syscall(7, null, 0, 5) // poll: 5 ms
  for (let i = 0; i < 10; i++) await 0
  print('done')
}
host.loop = (hasJobs) => hasJobs`)
    expect(stdout).toBe('done\n')
  })

  it('is ended by a signal that is unread for a second', () => {
    const { stderr } = run(`host.main = () => {
  const mask = new Uint8Array(8)
  mask[1] = 0x40 // SIGTERM
  host.syscall(14, 0, mask, null, 8)
  const fd = host.syscall(289, -1, mask, 8, 0)
  host.setDeadline(0, fd)
  host.syscall(62, host.syscall(39), 15)
  for (;;);
}`)
    expect(stderr).toBe('interrupted InternalError: interrupted\n')
  })

  it('is not caused by a document with 30,000 names of one hash', () => {
    const { stdout } = run(`const name = (i, step) => {
  let text = ''
  // 263 is the engine's factor: both pairs of characters have one hash.
  for (let bit = 0; bit < 15; bit++) text += (i >> bit) & 1 ? String.fromCharCode(66, 1024) : String.fromCharCode(65, 1024 + step)
  return text
}
const early = new Map([['of the image', 1]])
host.main = () => {
  const time = (step) => {
    const names = Array.from({ length: 30000 }, (_, i) => name(i, step))
    const text = '{' + names.map((one) => JSON.stringify(one) + ':1').join() + '}'
    const start = host.now()
    if (Object.keys(JSON.parse(text)).length !== 30000 || new Set(names).size !== 30000) print('wrong')
    for (const one of names) early.set(one, 1)
    return host.now() - start
  }
  const [different, same] = [time(264), time(263)]
  print(same < 20 * different + 100 ? 'fine' : 'slow: ' + different + ' ' + same)
}`)
    expect(stdout).toBe('fine\n')
  })
})
