import { describe, expect, it } from 'vitest'
import { built, run } from './programs.ts'

describe.skipIf(!built)('the edited engine', () => {
  it('evaluates yield in the head of a for-of loop and closes open iterators', () => {
    const { stdout, stderr } = run(`function* inner(log) { try { yield 1; yield 2 } finally { log.push('closed') } }
function* outer(log) {
  for (const a of yield 'head') { for (const b of inner(log)) { if (b === 2) return 'end ' + a; yield b } }
}
async function* later() { for await (const a of yield 'head') yield a }
host.main = async () => {
  const log = []
  const one = outer(log)
  print(JSON.stringify([one.next(), one.next([7]), one.next(), log]))
  const two = outer(log)
  two.next()
  print(JSON.stringify([two.return('early'), log]))
  const three = outer(log)
  three.next(); three.next([8])
  print(JSON.stringify([three.return('late'), log]))
  const four = later()
  print(JSON.stringify([await four.next(), await four.next([5]), await four.return(6)]))
}`)
    expect(stderr).toBe('')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      [{ value: 'head', done: false }, { value: 1, done: false }, { value: 'end 7', done: true }, ['closed']],
      [{ value: 'early', done: true }, ['closed']],
      [{ value: 'late', done: true }, ['closed', 'closed']],
      [
        { value: 'head', done: false },
        { value: 5, done: false },
        { value: 6, done: true },
      ],
    ])
  })

  it('finds names and keys of the image and of this start, as 8-bit strings, 16-bit strings and ropes', () => {
    const { stdout } = run(`const key = (text) => 'k' + text
const early = { [key('early')]: 1, 'ключ': 2 }
const map = new Map([[key('early'), 1], ['ключ', 2]])
host.main = () => {
  const late = 'k' + host.decode(host.encode('early'))
  const wide = host.decode(host.encode('клю')) + 'ч'
  early[late] = 3
  early[key('new')] = 4
  let rope = ''
  for (let i = 0; i < 20000; i++) rope += 'part ' + i
  const flat = rope.split('').join('')
  map.set(rope, 5); map.set(late, 6)
  for (let i = 0; i < 1000; i++) map.set('n' + i, i)
  print(JSON.stringify([Object.keys(early), early.kearly, early[wide], early.knew, map.get(flat), map.get('k' + 'early'), map.get(wide), map.get('n' + 999), map.size, map.delete(flat), map.has(rope)]))
}`)
    expect(JSON.parse(stdout)).toEqual([['kearly', 'ключ', 'knew'], 3, 2, 4, 5, 6, 2, 999, 1003, true, false])
  })
})
