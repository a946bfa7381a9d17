import { createHash } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { exec } from '../exec.ts'
import { Stop, say, step } from '../progress.ts'
import { runBound, UNSHARE } from '../run-bound.ts'

const SUITE = 'bookworm'
const SOURCES = [
  `deb http://deb.debian.org/debian ${SUITE} main`,
  `deb http://deb.debian.org/debian ${SUITE}-updates main`,
  `deb http://deb.debian.org/debian-security ${SUITE}-security main`,
]
/** Pattern for apt settings that the fresh machine takes from the host machine, such as proxies. */
const SETTINGS = /^Acquire::(https?|Check|Retries|ForceIPv)/

/**
 * Creates an archive with a minimal Debian 12, which is cached between runs.
 *
 * @param options - `work`: a temporary folder
 * @returns the archive's path
 */
export async function baseArchive({
  cache,
  work,
  rebuild,
}: {
  cache: string
  work: string
  rebuild: boolean
}): Promise<string> {
  const [sources, settings] = await Promise.all([debianSources(), aptSettings()])
  const secure = sources.some((line) => line.startsWith('deb https:'))
  const options = [
    ...['--mode=root', '--variant=minbase', `--include=git${secure ? ',ca-certificates' : ''}`],
    ...settings.map((line) => `--aptopt=${line}`),
  ]
  const wanted = [...options, SUITE, ...sources]
  const name = `base-${createHash('sha256').update(wanted.join('\n')).digest('hex').slice(0, 16)}.tar`
  const archive = join(cache, name)
  if (existsSync(archive) && !rebuild) {
    say(`  Debian 12 as it was on ${statSync(archive).mtime.toISOString().slice(0, 10)}; --rebuild makes a new one`)
    return archive
  }
  await step("a minimal Debian 12, made from Debian's packages (mmdebstrap)", async () => {
    const made = join(work, 'base.tar')
    await mmdebstrap([...options, SUITE, made, ...sources], work)
    chmodSync(made, 0o600)
    for (const old of readdirSync(cache).filter((file) => /^base-.*\.tar$/.test(file))) rmSync(join(cache, old))
    renameSync(made, archive)
  })
  return archive
}

/** Runs mmdebstrap in namespaces of its own, because mmdebstrap mounts file systems while it works. */
async function mmdebstrap(args: readonly string[], work: string) {
  let said = ''
  const code = await runBound([...UNSHARE, '--', 'mmdebstrap', ...args], {
    env: { ...process.env, TMPDIR: work },
    output: (chunk) => {
      said += chunk
    },
  })
  if (code !== 0) throw new Stop(`mmdebstrap failed with exit code ${code}\n${said.trim()}`)
}

/** Returns the apt sources of the host machine if it runs Debian 12, else Debian's own servers. */
async function debianSources() {
  const format = '$(REPO_URI) $(RELEASE) $(COMPONENT)'
  const targets = await exec(['apt-get', 'indextargets', '--format', format, 'Created-By: Packages'], { quiet: true })
  const lines = targets.split('\n').filter((line) => /^\S+ bookworm(-updates|-security)? main$/.test(line))
  return lines.some((line) => line.endsWith(` ${SUITE} main`)) ? lines.map((line) => `deb ${line}`) : SOURCES
}

async function aptSettings() {
  const dump = await exec(['apt-config', 'dump'], { quiet: true })
  return dump.split('\n').filter((line) => SETTINGS.test(line) && !line.endsWith(' "";'))
}
