import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Change } from '../change.ts'
import { diffLines } from '../conf/diff.ts'
import { redactKubeconfig, renderKubeconfig } from '../conf/kubeconfig.ts'
import { permissionsOf, wrongPermissions } from '../files/permissions.ts'
import { readRegular } from '../files/read-regular.ts'
import { type Replacement, replaceFile } from '../files/replace-file.ts'
import { InstallError, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { failed, NOTHING, type StepPlan, upToDate, withChange } from './step-plan.ts'

/** Plans the plugin's kubeconfig from the files of the service account. */
export function planKubeconfig({ kubeconfig, type }: Settings): StepPlan {
  if (kubeconfig === undefined) return NOTHING
  const { path, mode = 0o600 } = kubeconfig
  try {
    const text = wantedText(kubeconfig, type)
    const before = readRegular(path)
    if (before === undefined || before.bytes.toString('utf8') !== text) {
      return withChange(replaceKubeconfig({ path, text, mode, exactMode: true, before, type }))
    }
    const actual = permissionsOf(before.stat)
    if (actual === mode) return upToDate('kubeconfig', path)
    const reason = wrongPermissions(actual, mode)
    return withChange({ artefact: 'kubeconfig', action: 'chmod', path, reason, apply: () => chmodSync(path, mode) })
  } catch (error) {
    return failed(toInstallError(error, 'cannot make the kubeconfig', path))
  }
}

function wantedText(options: NonNullable<Settings['kubeconfig']>, type: string): string {
  const { server, skipTls = false, user = type, tokenFile, caFile } = options
  const token = credential(tokenFile, 'token').toString('utf8')
  if (token.trim() === '') throw new InstallError('NO_CREDENTIALS', `the token file ${tokenFile} is empty`)
  const ca = skipTls || caFile === undefined ? undefined : credential(caFile, 'CA')
  return renderKubeconfig({ server, user, token, ca, skipTls })
}

function credential(path: string, what: string): Buffer {
  const file = readRegular(path, 1024 * 1024)
  if (file !== undefined) return file.bytes
  throw new InstallError('NO_CREDENTIALS', `there is no ${what} file ${JSON.stringify(path)}`, { path })
}

function replaceKubeconfig(file: Replacement & { readonly text: string }): Change {
  const { path, text, before } = file
  const old = before === undefined ? undefined : redactKubeconfig(before.bytes.toString('utf8'))
  return {
    artefact: 'kubeconfig',
    action: before === undefined ? 'create' : 'replace',
    path,
    reason: before === undefined ? 'absent' : 'content differs',
    diff: diffLines(old, redactKubeconfig(text)),
    apply() {
      mkdirSync(dirname(path), { recursive: true })
      replaceFile(file)
    },
  }
}
