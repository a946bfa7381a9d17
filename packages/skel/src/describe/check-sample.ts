import { CURRENT_VERSION, isCniError } from '@cni/types'
import type { Plugin } from '../definition/plugin.ts'
import { validateConfig } from '../schema/validate.ts'
import { shapeOf } from '../schema/walk.ts'
import { sampleObject } from './sample.ts'

/** Validates a sample configuration, so that an executable's snapshot contains the validation code. */
export async function checkSample(plugin: Plugin): Promise<void> {
  const schema = plugin.config
  if (schema === undefined) return
  const sample = sampleObject(shapeOf(schema) ?? {})
  try {
    await validateConfig(schema, { cniVersion: CURRENT_VERSION, name: plugin.name, type: plugin.name, ...sample })
  } catch (error) {
    // The plugin's schema may reject the generated sample configuration, so its errors are ignored.
    if (!isCniError(error)) throw error
  }
}
