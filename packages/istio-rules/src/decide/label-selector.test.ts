import { describe, expect, test } from 'vitest'
import { type LabelSelector, selectorProblem, selects } from './label-selector.ts'

const expression = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', ...values: string[]): LabelSelector => ({
  matchExpressions: [{ key: 'tier', operator, values }],
})

describe('a selector', () => {
  test.each<[string, LabelSelector, Record<string, string>, boolean]>([
    ['without a condition matches everything', {}, {}, true],
    ['with null members matches everything', { matchLabels: null, matchExpressions: null }, { a: 'b' }, true],
    ['requires all labels', { matchLabels: { a: '1', b: '2' } }, { a: '1', b: '2', c: '3' }, true],
    ['does not match if a label is missing', { matchLabels: { a: '1', b: '2' } }, { a: '1' }, false],
    ['with an empty value requires the label', { matchLabels: { a: '' } }, {}, false],
    ['ignores members that every object inherits', { matchLabels: { constructor: 'x' } }, {}, false],
    ['In matches one of its values', expression('In', 'web', 'db'), { tier: 'db' }, true],
    ['In does not match another value', expression('In', 'web'), { tier: 'db' }, false],
    ['In does not match an absent label', expression('In', 'web'), {}, false],
    ['NotIn matches another value', expression('NotIn', 'web'), { tier: 'db' }, true],
    ['NotIn matches an absent label', expression('NotIn', 'web'), {}, true],
    ['NotIn does not match one of its values', expression('NotIn', 'web'), { tier: 'web' }, false],
    ['Exists matches a label', expression('Exists'), { tier: '' }, true],
    ['Exists does not match an absent label', expression('Exists'), { toString: 'x' }, false],
    ['DoesNotExist matches an absent label', expression('DoesNotExist'), {}, true],
    ['DoesNotExist does not match a label', expression('DoesNotExist'), { tier: 'db' }, false],
    [
      'requires both labels and expressions',
      { ...expression('Exists'), matchLabels: { a: '1' } },
      { tier: 'db' },
      false,
    ],
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
  ])('%j is invalid', (selector, problem) => {
    expect(selectorProblem(selector)).toContain(problem)
  })

  test.each<LabelSelector>([
    {},
    { matchLabels: { 'istio.io/dataplane-mode': 'ambient', a_b: '' } },
    expression('NotIn', 'none'),
    { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
  ])('%j is valid', (selector) => {
    expect(selectorProblem(selector)).toBeUndefined()
  })
})
