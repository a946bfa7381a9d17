import { expectTypeOf, test } from 'vitest'
import type { Netns } from '../handle/netns.ts'
import { netns } from '../netns.ts'

declare const pod: Netns

test('a body may return any type except a promise', () => {
  expectTypeOf(netns.run(pod, () => 42)).toEqualTypeOf<number>()
  expectTypeOf(netns.run('host', () => ({ a: ['b'] }))).toEqualTypeOf<{ a: string[] }>()
  expectTypeOf(netns.run(pod, () => {})).toEqualTypeOf<void>()
  // @ts-expect-error An async body would run in another namespace after its first await.
  netns.run(pod, async () => 42)
  // @ts-expect-error A function that returns a promise is async as well.
  netns.run(pod, () => Promise.resolve(42))
  // @ts-expect-error A body must not return a promise in any case.
  netns.run(pod, () => (Math.random() > 0.5 ? 42 : Promise.resolve(42)))
})

test('a body may return a started program, which is awaited outside', () => {
  expectTypeOf(netns.run(pod, () => netns.start('host', ['true']))).toHaveProperty('done')
})

test("a target is an open namespace or 'host'; a path is refused", () => {
  // @ts-expect-error
  netns.run('/run/netns/blue', () => 1)
  // @ts-expect-error
  netns.run(undefined, () => 1)
})
