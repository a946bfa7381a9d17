import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { diffLines } from '../conf/diff.ts'
import { redactKubeconfig, renderKubeconfig } from '../conf/kubeconfig.ts'
import { readRegular } from '../files/read-regular.ts'
import { replaceFile } from '../files/replace-file.ts'
import { InstallError, toInstallError } from '../install-error.ts'
import type { KubeconfigOptions, Settings } from '../options.ts'
import type { Change, StepPlan } from './change.ts'

/** Whether the kubeconfig is what the service account's files make it. */
export function planKubeconfig(settings: Settings): StepPlan {
  const { kubeconfig, type } = settings
  if (kubeconfig === undefined) return { changes: [], health: [], errors: [] }
  try {
    const change = compare(kubeconfig, type)
    if (change !== undefined) return { changes: [change], health: [], errors: [] }
    return { changes: [], health: [{ artefact: 'kubeconfig', path: kubeconfig.path, state: 'ok' }], errors: [] }
  } catch (error) {
    return { changes: [], health: [], errors: [toInstallError(error, 'cannot make the kubeconfig', kubeconfig.path)] }
  }
}

function compare(options: KubeconfigOptions, type: string): Change | undefined {
  const { path, server, skipTls = false, user = type, mode = 0o600, caFile } = options
  const token = credential(options.tokenFile, 'token').toString('utf8')
  if (token.trim() === '') throw new InstallError('NO_CREDENTIALS', `the token file ${options.tokenFile} is empty`)
  const ca = skipTls || caFile === undefined ? undefined : credential(caFile, 'CA')
  const text = renderKubeconfig({ server, user, token, ca, skipTls })
  const before = readRegular(path)
  const artefact = 'kubeconfig'
  if (before === undefined || before.bytes.toString('utf8') !== text) {
    const old = before === undefined ? undefined : redactKubeconfig(before.bytes.toString('utf8'))
    const [action, reason] =
      before === undefined ? ['create' as const, 'absent'] : ['replace' as const, 'content differs']
    return {
      artefact,
      action,
      path,
      reason,
      diff: diffLines(old, redactKubeconfig(text)),
      apply() {
        mkdirSync(dirname(path), { recursive: true })
        replaceFile({ path, text, mode, exactMode: true, before, type })
      },
    }
  }
  const actual = before.stat.mode & 0o7777
  if (actual === mode) return undefined
  const reason = `mode is 0${actual.toString(8)}, not 0${mode.toString(8)}`
  return { artefact, action: 'chmod', path, reason, apply: () => chmodSync(path, mode) }
}

function credential(path: string, what: string): Buffer {
  const file = readRegular(path, 1024 * 1024)
  if (file !== undefined) return file.bytes
  throw new InstallError('NO_CREDENTIALS', `there is no ${what} file ${JSON.stringify(path)}`, { path })
}
