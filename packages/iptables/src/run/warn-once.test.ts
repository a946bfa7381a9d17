import { expect, test } from 'vitest'
import { warnOnce } from './warn-once.ts'

const log = () => {
  const lines: string[] = []
  return { lines, debug() {}, warn: (message: string) => lines.push(message) }
}

test('each log receives a message once', () => {
  const [first, second] = [log(), log()]
  for (const each of [first, first, second, undefined]) warnOnce(each, 'no shield', {})
  warnOnce(first, 'something else', {})
  expect([first.lines, second.lines]).toEqual([['no shield', 'something else'], ['no shield']])
})
