import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMAND_LISTS_TEXT, knownCommandDifferences } from '../command/known-command-differences.ts'
import { LISTS } from '../differences.ts'
import { knownDifferences, LISTS_TEXT } from './known-differences.ts'

const documented = readFileSync(new URL('../../../docs/differences-from-istio.md', import.meta.url), 'utf8')
const [, checked = ''] = documented.split('## Checked against the originals')
const [plugin = '', commandLine = ''] = checked.split('### The command line')

test.each([...knownDifferences, { id: LISTS, what: LISTS_TEXT }])(
  'the difference $id of the plugin is documented',
  ({ id, what }) => {
    expect(plugin).toContain(`| ${id} | ${what} |`)
  },
)

test.each([...knownCommandDifferences, { id: LISTS, what: COMMAND_LISTS_TEXT }])(
  'the difference $id of the command line is documented',
  ({ id, what }) => {
    expect(commandLine).toContain(`| ${id} | ${what} |`)
  },
)
