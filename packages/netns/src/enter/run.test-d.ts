import { expectTypeOf, test } from 'vitest'
import type { Netns } from '../handle/netns.ts'
import { netns } from '../netns.ts'

declare const pod: Netns

test('a body may return anything but a promise', () => {
  expectTypeOf(netns.run(pod, () => 42)).toEqualTypeOf<number>()
  expectTypeOf(netns.run('host', () => ({ a: ['b'] }))).toEqualTypeOf<{ a: string[] }>()
  expectTypeOf(netns.run(pod, () => {})).toEqualTypeOf<void>()
  // @ts-expect-error an async body would be somewhere else after its first await
  netns.run(pod, async () => 42)
  // @ts-expect-error a promise by another name
  netns.run(pod, () => Promise.resolve(42))
  // @ts-expect-error a body that sometimes returns a promise
  netns.run(pod, () => (Math.random() > 0.5 ? 42 : Promise.resolve(42)))
})

test('a program started inside is not a promise: it is awaited outside', () => {
  expectTypeOf(netns.run(pod, () => netns.start('host', ['true']))).toHaveProperty('done')
})

test('a target is an open namespace or the host, never a path', () => {
  // @ts-expect-error
  netns.run('/run/netns/blue', () => 1)
  // @ts-expect-error
  netns.run(undefined, () => 1)
})
