import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../exec.ts'
import { step } from '../progress.ts'
import { mirrors } from './debian-archive.ts'
import type { Architecture } from './pins.ts'

const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Options with which apt ignores this machine's packages and leaves this machine's apt state unchanged.
 *
 * @param folder - folder for the package lists; the caller may keep it for later calls
 * @param architectures - the first one applies to package names without an architecture
 */
export async function ownApt(
  folder: string,
  suite: string,
  architectures: readonly [Architecture, ...Architecture[]],
): Promise<string[]> {
  for (const name of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(folder, name), { recursive: true })
  }
  const from = await mirrors()
  const signed = `[signed-by=${KEYS}]`
  const sources = [
    `deb ${signed} ${from.debian} ${suite} main`,
    `deb ${signed} ${from['debian-security']} ${suite}-security main`,
  ]
  writeFileSync(join(folder, 'sources.list'), `${sources.join('\n')}\n`)
  const settings = [
    `Dir::State=${folder}/state`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${folder}/cache`,
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    'Dir::Etc::sourceparts=-',
    'APT::Sandbox::User=root',
    `APT::Architecture=${architectures[0]}`,
    ...architectures.map((each) => `APT::Architectures::=${each}`),
  ]
  const options = settings.flatMap((setting) => ['-o', setting])
  await step('the lists of the mirrors', () => exec(['apt-get', ...options, 'update', '-qq'], { quiet: true }))
  return options
}
