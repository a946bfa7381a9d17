import { describe, expect, test } from 'vitest'
import { type LabelSelector, selectorProblem, selects } from './label-selector.ts'

const expression = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key: 'tier', operator, values }],
})

describe('a selector', () => {
  test.each<[string, LabelSelector, Record<string, string>, boolean]>([
    ['without a condition matches everything', {}, {}, true],
    ['of nulls matches everything', { matchLabels: null, matchExpressions: null }, { a: 'b' }, true],
    ['wants every label', { matchLabels: { a: '1', b: '2' } }, { a: '1', b: '2', c: '3' }, true],
    ['wants every label', { matchLabels: { a: '1', b: '2' } }, { a: '1' }, false],
    ['takes an empty value for a value', { matchLabels: { a: '' } }, {}, false],
    ['is not fooled by what every object has', { matchLabels: { constructor: 'x' } }, {}, false],
    ['In: one of the values', expression('In', 'web', 'db'), { tier: 'db' }, true],
    ['In: not another', expression('In', 'web'), { tier: 'db' }, false],
    ['In: not absence', expression('In', 'web'), {}, false],
    ['NotIn: another', expression('NotIn', 'web'), { tier: 'db' }, true],
    ['NotIn: absence, too', expression('NotIn', 'web'), {}, true],
    ['NotIn: none of the values', expression('NotIn', 'web'), { tier: 'web' }, false],
    ['Exists', expression('Exists'), { tier: '' }, true],
    ['Exists, and not', expression('Exists'), { toString: 'x' }, false],
    ['DoesNotExist', expression('DoesNotExist'), {}, true],
    ['DoesNotExist, and it does', expression('DoesNotExist'), { tier: 'db' }, false],
    ['wants labels and expressions', { ...expression('Exists'), matchLabels: { a: '1' } }, { tier: 'db' }, false],
  ])('%s', (_, selector, labels, expected) => {
    expect(selects(selector, labels)).toBe(expected)
  })

  test.each<[LabelSelector, string]>([
    [expression('In'), 'operator In of key "tier" needs at least one value'],
    [expression('NotIn'), 'operator NotIn of key "tier" needs at least one value'],
    [expression('Exists', 'a'), 'operator Exists of key "tier" takes no values'],
    [{ matchLabels: { '': 'a' } }, '"" cannot be the key of a label'],
    [{ matchLabels: { 'a/b/c': 'a' } }, '"a/b/c" cannot be the key of a label'],
    [{ matchLabels: { 'Example.com/a': 'a' } }, 'cannot be the key of a label'],
    [{ matchLabels: { '-a': 'a' } }, 'cannot be the key of a label'],
    [{ matchLabels: { ['a'.repeat(64)]: 'a' } }, 'cannot be the key of a label'],
    [{ matchLabels: { a: 'b c' } }, '"b c" cannot be the value of a label'],
    [expression('In', 'a'.repeat(64)), 'cannot be the value of a label'],
  ])('%j is refused', (selector, problem) => {
    expect(selectorProblem(selector)).toContain(problem)
  })

  test.each<LabelSelector>([
    {},
    { matchLabels: { 'istio.io/dataplane-mode': 'ambient', a_b: '' } },
    expression('NotIn', 'none'),
    { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
  ])('%j is accepted', (selector) => {
    expect(selectorProblem(selector)).toBeUndefined()
  })
})
