import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, release } from 'node:os'
import { join } from 'node:path'
import { run } from '@cni/host'
import type { Report } from './report/report.ts'

/**
 * Describes the machine and the versions of programs, on which all times depend. Every report begins with this
 * description.
 */
export async function header(): Promise<Pick<Report, 'machine' | 'versions'>> {
  const list = cpus()
  const require = createRequire(import.meta.url)
  const bun: { version: string } = require('@oven/bun-linux-x64-baseline/package.json')
  const own: { version: string } = require('@cni/skel/package.json')
  return {
    machine: { cpu: list[0]?.model.trim() ?? '?', cores: list.length, kernel: release() },
    versions: {
      'cni-ts': own.version,
      bun: bun.version,
      node: process.versions.node,
      iptables: await firstLine(['iptables-restore', '--version']),
      ipset: await firstLine(['ipset', '--version']),
    },
  }
}

/** Result files, whose uncommitted changes do not count as changes of the measured code. */
const RESULTS = [':!bench/baseline.json', ':!docs'] as const

/** Commit of the measured code. Absent if this folder is not a git clone, or belongs to another user. */
export async function commit(root: string): Promise<{ commit?: string }> {
  if (!existsSync(join(root, '.git'))) return {}
  try {
    const head = (await run(['git', '-C', root, 'rev-parse', '--short=10', 'HEAD'])).stdout.trim()
    const { stdout: changes } = await run(['git', '-C', root, 'status', '--porcelain', '--', root, ...RESULTS])
    return { commit: changes === '' ? head : `${head}, changed` }
  } catch {
    return {} // without git, the report contains the version of the code, but no commit
  }
}

async function firstLine(argv: readonly [string, ...string[]]): Promise<string> {
  const [line = ''] = (await run(argv)).stdout.split('\n')
  return line.replace(/^\S+ v/, '').replace(/, protocol version.*/, '')
}
