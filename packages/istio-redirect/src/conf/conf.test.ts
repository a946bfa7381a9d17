import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { confKeys } from './conf.ts'
import { settingsOf } from './settings.ts'
import { warnAboutSettings } from './warn-settings.ts'

const guide = join(import.meta.dirname, '../../../../docs/istio-redirect.md')

test('the guide names each key of the configuration', () => {
  const text = readFileSync(guide, 'utf8')
  expect(confKeys.filter((key) => !text.includes(`\`${key}\``))).toEqual([])
})

test.each(confKeys)('%s in capitals is ignored with a warning, although Go would accept it', (key) => {
  const said: string[] = []
  const log = { debug() {}, info() {}, error() {}, bind() {}, warn: (message: string) => void said.push(message) }
  const conf = { name: 'pods', [key.toUpperCase()]: null, [key]: null, other: 1, Other: 1 }
  warnAboutSettings(log, conf, settingsOf({ name: 'pods' }))
  expect(said).toEqual([`"${key.toUpperCase()}" is ignored: write ${key}`])
})
