import { expect, test } from 'vitest'
import { paced } from './paced.ts'

test('the event loop runs between the pieces of a large chunk, and all bytes arrive in order', async () => {
  let others = 0
  const timer = setInterval(() => {
    others += 1
  }, 1)
  const taken: number[] = []
  const take = paced((piece) => {
    taken.push(piece[0] ?? 0, piece.length)
    const until = performance.now() + 6
    while (performance.now() < until);
  })
  const chunk = new Uint8Array(2 * 1024 * 1024 + 5).map((_, at) => at >> 18)
  await take(chunk)
  clearInterval(timer)
  expect(taken.filter((_, at) => at % 2 === 0)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  expect(taken.filter((_, at) => at % 2 === 1).reduce((sum, length) => sum + length)).toBe(chunk.length)
  expect(others).toBeGreaterThan(1)
})

test('an error of the receiver is thrown', async () => {
  const take = paced(() => {
    throw new Error('enough')
  })
  await expect(take(Uint8Array.of(1))).rejects.toThrow('enough')
})
