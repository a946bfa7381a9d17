import { expect, test } from 'vitest'
import { atMost } from './at-most.ts'

test('no more than the given number run at a time, in order, also after a failure', async () => {
  const two = atMost(2)
  const began: number[] = []
  let running = 0
  let most = 0
  const work = async (index: number): Promise<number> => {
    began.push(index)
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (index === 3) throw new Error('no')
    return index
  }
  const all = Array.from({ length: 8 }, (_, index) => two(() => work(index)).catch(() => -1))
  expect(await Promise.all(all)).toEqual([0, 1, 2, -1, 4, 5, 6, 7])
  expect([most, began]).toEqual([2, [0, 1, 2, 3, 4, 5, 6, 7]])
})
