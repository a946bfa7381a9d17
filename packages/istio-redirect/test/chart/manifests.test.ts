import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { RECORDED, RECORDED_IMAGE, recordedHeading } from '../../../../scripts/lib/recorded-manifests.ts'
import { expectedObjects } from './expected-objects.ts'
import { CHART, differences, HELM, helm, manifestsOf } from './manifest.ts'
import { explains, rows } from './rows.ts'

describe.each(RECORDED)('the manifests of profile %s', (profile) => {
  const text = readFileSync(fileURLToPath(new URL(`../../deploy/manifests/${profile}.yaml`, import.meta.url)), 'utf8')

  test('equal the recorded manifests of this chart', () => {
    expect(text.split('\n')[0]).toBe(recordedHeading(CHART))
  })

  test('differ from Istio’s objects only as differences.yaml says', () => {
    // Replaces the whole image reference by the image of the expectations.
    const objects = manifestsOf(text.replaceAll(RECORDED_IMAGE, 'h/install-cni:1.30.3'))
    const found = differences(expectedObjects({ ambient: profile === 'ambient' }), objects)
    const unexplained = found.filter((one) => !rows.some((row) => explains(row, one)))
    expect(unexplained.filter(({ path }) => path !== 'data.CURRENT_AGENT_VERSION')).toEqual([])
  })

  test.skipIf(HELM === undefined)('equal helm’s output', () => {
    const args = [
      'template',
      'istio-cni',
      CHART,
      '--namespace',
      'istio-system',
      '--kube-version',
      'v1.35.0',
      '--no-hooks',
    ]
    const { stdout } = helm(args, { image: RECORDED_IMAGE, ...(profile === 'default' ? {} : { profile }) })
    expect(`${recordedHeading(CHART)}\n${stdout}`).toBe(text)
  })
})
