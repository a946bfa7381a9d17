import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from './exec.ts'
import { Stop, step } from './progress.ts'
import { RECORDED, recordedHeading } from './recorded-manifests.ts'

/** Names of the changeset files that no release contains yet. */
export const changesets = (repository: string) =>
  readdirSync(join(repository, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md')

/** Creates the next version and CHANGELOGs from the changesets. Does not commit. */
export async function makeVersion(repository: string) {
  const waiting = changesets(repository).length
  if (waiting === 0) throw new Stop('there are no changesets: nothing has changed for users')
  await step('versions and CHANGELOGs (changeset version)', async () => {
    await exec(['changeset', 'version'], { quiet: true, cwd: repository })
    const version = say(repository)
    return { note: `${version}, of ${waiting} changesets` }
  })
  await step('the lockfile', () => install(repository, '--lockfile-only'))
}

/** Installs the npm dependencies of a clone of the repository. */
export const install = (repository: string, ...flags: string[]) => {
  const { packageManager } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const argv = ['npx', '--yes', packageManager, 'install', '--prefer-offline', ...flags] as const
  return exec(argv, { quiet: true, cwd: repository, env: { CI: 'true' } })
}

/** Files with a copy of the version. Executables need a copy, because they cannot read their package.json. */
const SAID = [
  ['packages/host/src/version.ts', /(?<=')[^']*(?=')/g],
  ['packages/istio-redirect/deploy/chart/Chart.yaml', /(?<=^(?:version|appVersion): ).*$/gm],
  ['api/host.txt', /(?<=^const VERSION = ").*(?=";$)/gm],
] as const

const DEPLOY = 'packages/istio-redirect/deploy'

function say(repository: string) {
  const { version } = JSON.parse(readFileSync(join(repository, 'packages/host/package.json'), 'utf8'))
  for (const [path, place] of SAID) {
    const file = join(repository, path)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(place, version))
  }
  // Updates the chart's hash and the version in the recorded manifests, without Helm.
  const heading = recordedHeading(join(repository, DEPLOY, 'chart'))
  for (const name of RECORDED) {
    const file = join(repository, DEPLOY, 'manifests', `${name}.yaml`)
    const labelled = readFileSync(file, 'utf8').replaceAll(/(?<=^ +helm\.sh\/chart: cni-).*$/gm, version)
    writeFileSync(file, labelled.replace(/^.*/, heading))
  }
  return version
}
