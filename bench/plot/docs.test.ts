import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readReport } from '../lib/report/report.ts'
import { plots } from './pictures.ts'
import { PAGES, tables, withTables } from './tables.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const baseline = readReport(`${root}bench/baseline.json`)
const pages = PAGES.map(text).join('')

describe('pages with figures', () => {
  it('has the figures of the stored baseline (else: npm run plot)', () => {
    expect(withTables(pages, baseline)).toBe(pages)
  })

  it('shows every table once, with all measures', () => {
    for (const [name, table] of Object.entries(tables(baseline))) {
      expect(pages.split(`<!-- bench: ${name} -->`)).toHaveLength(2)
      expect(table).not.toMatch(/undefined|NaN/)
    }
  })

  it('rejects the marker of an unknown table', () => {
    expect(() => withTables('<!-- bench: weather -->\n<!-- end -->', baseline)).toThrow('"weather"')
  })

  it.each(Object.entries(plots(baseline)))(
    'shows %s with figures of the baseline (else: npm run plot)',
    (file, svg) => {
      expect(text(`docs/plots/${file}`)).toBe(svg)
      expect(pages).toContain(`](plots/${file})`)
    },
  )
})
