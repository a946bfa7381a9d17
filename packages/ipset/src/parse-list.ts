import { SetError } from './errors.ts'
import { parseHeader } from './parse-save.ts'
import type { SetInfo } from './spec-types.ts'

/** Parses the output of `ipset list -terse`, because names with spaces are ambiguous in `ipset save`. */
export function parseList(text: string): SetInfo[] {
  return text
    .split(/\n(?=Name: )/)
    .filter((block) => block.trim() !== '')
    .map((block) => {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      )
      const [name, type] = [fields.get('Name'), fields.get('Type')]
      if (name === undefined || type === undefined) {
        throw new SetError('PARSE', `ipset list printed ${JSON.stringify(block)}`)
      }
      return {
        ...parseHeader(name, type, (fields.get('Header') ?? '').split(' ').filter(Boolean)),
        references: Number(fields.get('References')),
        entryCount: Number(fields.get('Number of entries') ?? 0),
      }
    })
}
