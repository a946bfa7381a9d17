import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { Packed } from './pack.ts'
import { Stop } from './progress.ts'

/** Module resolutions for which the packages are checked. Our packages contain only ES modules. */
const RESOLUTIONS: readonly unknown[] = ['node16-esm', 'bundler']

/** Checks all packages in one process, because the TypeScript compiler loads slowly. */
export async function checkManifests(packed: readonly Packed[]) {
  const withEntries = packed.filter(({ manifest }) => Object.values(manifest.exports).some(isEntry))
  const problems: string[] = []
  for (const { tarball, manifest } of withEntries) {
    const data = readFileSync(tarball)
    const found = [...(await publintProblems(data)), ...(await attwProblems(data))]
    problems.push(...found.map((problem) => `${manifest.name}: ${problem}`))
  }
  if (problems.length > 0) throw new Stop(problems.join('\n'))
  return { note: `${withEntries.length} packages` }
}

const isEntry = (target: unknown): boolean => typeof target === 'object'

async function publintProblems(data: Buffer): Promise<string[]> {
  const tarball = new Uint8Array(data).buffer
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
  return messages.flatMap((message) => {
    const text = message.type === 'suggestion' ? undefined : formatMessage(message, pkg, { color: false })
    return text === undefined ? [] : [text]
  })
}

async function attwProblems(data: Buffer): Promise<string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(data)))
  if (!analysis.types) return ['no types were found']
  return analysis.problems.flatMap((problem) =>
    'resolutionKind' in problem && !RESOLUTIONS.includes(problem.resolutionKind) ? [] : [JSON.stringify(problem)],
  )
}
