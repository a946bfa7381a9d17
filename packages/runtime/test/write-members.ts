import { readFileSync, writeFileSync } from 'node:fs'
import { DOCUMENT, documentText, readMembers, TABLE, tableText } from './member-table.ts'

const members = await readMembers()
writeFileSync(TABLE, tableText(members))
writeFileSync(DOCUMENT, documentText(members, readFileSync(DOCUMENT, 'utf8')))
