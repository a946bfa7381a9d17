import type { Change } from './changes.ts'
import { entryWords } from './entry.ts'
import { createOptions } from './spec.ts'

/** Converts changes of sets to input lines for the program `ipset restore`. */
export const linesOf = (changes: readonly Change[]): string => changes.map(linesOfOne).join('')

// internal

function linesOfOne(change: Change): string {
  const { verb, set } = change
  switch (verb) {
    case 'create':
      return `create ${set} ${createOptions(change.spec)}\n`
    case 'swap':
    case 'rename':
      return `${verb} ${set} ${change.other}\n`
    case 'add':
    case 'del': {
      let text = ''
      for (const each of change.entries) {
        text += `${verb} ${set} ${verb === 'add' ? entryWords(each) : entryWords({ entry: each.entry })}\n`
      }
      return text
    }
    default:
      return `${verb} ${set}\n`
  }
}
