import { getVersionInfo } from '@cni/invoke'
import type { PluginConf } from '@cni/types'
import { errorLine } from '@cni/types'
import { capabilitiesOf } from '../derive.ts'
import { RuntimeError } from '../errors.ts'
import type { NetworkList } from '../network-list.ts'
import type { Operation } from '../runtime.ts'

/** Checks that every plugin exists and supports the list's version. */
export async function validateNetwork(op: Operation, { conflist }: NetworkList): Promise<string[]> {
  const failures: unknown[] = []
  for (const plugin of conflist.plugins) {
    try {
      await validateOne(op, plugin, conflist.cniVersion || '0.1.0')
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) {
    const message = `[${failures.map(errorLine).join(' ')}]`
    throw new RuntimeError('VALIDATE', message, { cause: new AggregateError(failures, message) })
  }
  return [...new Set(conflist.plugins.flatMap(capabilitiesOf))].sort()
}

async function validateOne(op: Operation, { type }: PluginConf, version: string): Promise<void> {
  const { supportedVersions } = await getVersionInfo(op.exec.find(type, op.path), op.invoke)
  if (supportedVersions.includes(version)) return
  throw new RuntimeError('VALIDATE', `plugin ${type} does not support config version "${version}"`, {
    hint: `it supports ${supportedVersions.join(', ')}`,
  })
}
