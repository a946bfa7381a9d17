import { expectTypeOf, test } from 'vitest'
import type { Values } from '../fields/fields.ts'
import type { Expressions } from './expression-types.ts'
import type { expressions } from './expressions.ts'

test('the type of an expression has exactly its attributes', () => {
  expectTypeOf<{
    [N in keyof typeof expressions]: Values<(typeof expressions)[N]>
  }>().toEqualTypeOf<{ readonly [N in keyof Expressions]: Omit<Expressions[N], 'name'> }>()
})
