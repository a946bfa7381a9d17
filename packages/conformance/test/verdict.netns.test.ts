import { chmodSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { conformance } from '../src/conformance.ts'
import { renderJson } from '../src/report/json.ts'
import { renderJunit } from '../src/report/junit.ts'
import { renderText } from '../src/report/text.ts'
import { plantedPlugin } from './planted-plugin.ts'

interface Unseen {
  readonly why: string
  readonly defect?: string
  readonly alone?: true
  readonly only: readonly string[]
  /** Reason why no check could be made, from the first check. */
  readonly reason: string
}

const unseen: readonly Unseen[] = [
  {
    why: 'ADD prints no result',
    defect: 'prints-ok',
    only: ['del', 'check'],
    reason: 'ADD with this configuration printed no result',
  },
  {
    why: 'ADD fails where it runs',
    defect: 'needs-eth9',
    only: ['del'],
    reason: 'ADD with this configuration failed with code 7: there is no eth9',
  },
  {
    why: 'ADD needs the result of another plugin',
    alone: true,
    defect: 'needs-prev-result',
    only: ['stdout.del', 'stdout.check'],
    reason: 'ADD with this configuration failed with code 7: needs a prevResult',
  },
  {
    why: 'ADD hangs',
    defect: 'hangs',
    only: ['stdout.del'],
    reason: 'ADD with this configuration did not end in time',
  },
  {
    why: 'ADD works only once',
    defect: 'works-once',
    only: ['del.idempotent', 'isolation.pod', 'stdout.del'],
    reason: 'ADD, which had worked before, failed with code 11: works only once',
  },
  {
    why: 'CHECK never succeeds',
    defect: 'check-fails',
    only: ['check.tampered'],
    reason: 'CHECK fails even before (see check.after-add)',
  },
  {
    why: 'VERSION cannot be read',
    defect: 'version-garbage',
    only: ['version.claims', 'prev-result.version'],
    reason: 'VERSION does not say which versions are supported',
  },
  {
    why: 'it hangs',
    defect: 'hangs-always',
    only: ['errors.document', 'errors.members'],
    reason: 'no execution printed an error, so errors cannot be checked',
  },
  {
    why: 'every rule is about other plugins',
    alone: true,
    only: ['prev-result.kept', 'isolation.untouched'],
    reason: 'no check concerns this plugin',
  },
]

describe.runIf(process.getuid?.() === 0).concurrent('a run that could not check everything never conforms', () => {
  test.each(unseen)('when $why', async ({ defect, alone, only, reason }) => {
    using plugin = plantedPlugin(alone !== true, defect === undefined ? [] : [defect])
    const timeout = defect === 'hangs' || defect === 'hangs-always' ? 5000 : 10_000
    const report = await conformance({ plugin: plugin.path, chained: alone !== true, only, timeout })
    expect(report).toMatchObject({ verdict: 'incomplete', conforms: false, unchecked: [{ reason }] })
    expect(report.counts).toMatchObject({ pass: 0, violation: 0 })
  })

  test('when the plugin accepts every call: there is no error to check', async () => {
    using plugin = plantedPlugin(true, [])
    writeFileSync(plugin.path, '#!/bin/sh\ncat >/dev/null\necho "{}"\n')
    chmodSync(plugin.path, 0o755)
    const report = await conformance({ plugin: plugin.path, chained: true, only: ['errors.document'] })
    const reason = 'no execution printed an error, so errors cannot be checked'
    expect(report).toMatchObject({ verdict: 'incomplete', unchecked: [{ reason, checks: ['errors.document'] }] })
  })

  test('a plugin that prints "ok" instead of a result does not conform, and reports begin with unchecked rules', async () => {
    using plugin = plantedPlugin(true, ['prints-ok'])
    const report = await conformance({ plugin: plugin.path, chained: true, only: ['results', 'del', 'isolation'] })
    expect(report.verdict).toBe('violations')
    const reason = 'ADD with this configuration printed no result'
    expect(report.unchecked).toEqual([{ reason, checks: expect.arrayContaining(['del.idempotent', 'isolation.node']) }])
    expect(Object.keys(JSON.parse(renderJson(report))).slice(0, 2)).toEqual(['verdict', 'unchecked'])
    const text = renderText(report)
    expect(text).toContain('The plugin does not conform.')
    expect(text.indexOf(reason)).toBeGreaterThan(0)
    expect(text.indexOf(reason)).toBeLessThan(text.indexOf('VIOLATIONS'))
    expect(/<error message="([^"]*)"/.exec(renderJunit(report))?.[1]).toBe(reason)
  })

  test('a failed ADD without an error document is a violation; an error document may give a reason', async () => {
    const options = { chained: true, conf: {}, only: ['add.works'] }
    using silent = plantedPlugin(true, ['needs-eth9', 'silent'])
    const summary = 'ADD with this configuration failed with exit code 1, without a word'
    expect(await conformance({ ...options, plugin: silent.path })).toMatchObject({
      verdict: 'violations',
      results: [{ outcome: { status: 'fail', findings: [{ summary }] } }],
    })
    using polite = plantedPlugin(true, ['needs-eth9'])
    expect(await conformance({ ...options, plugin: polite.path })).toMatchObject({ verdict: 'incomplete' })
  })
})
