import { expect, test } from 'vitest'
import { warmUp } from './warm-up.ts'

test('what warms up goes the whole way of a pod in the mesh', async () => {
  expect(await warmUp()).toMatchObject({
    act: 'program',
    log: [{ timed: 'durationMs' }],
    batch: expect.any(Uint8Array),
  })
})
