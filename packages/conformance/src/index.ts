/**
 * Checks a CNI plugin against the specification, in throw-away namespaces.
 *
 * @example
 * ```ts
 * import { conformance, renderReport } from '@cni/conformance'
 *
 * const report = await conformance({ plugin: '/opt/cni/bin/my-plugin', chained: true, conf: { port: 15001 } })
 * process.stdout.write(renderReport(report))
 * process.exitCode = report.conforms ? 0 : 1
 * ```
 *
 * @module
 */

export { checks } from './checks.ts'
export { conformance } from './conformance.ts'
// Errors
export { ConformanceError, isConformanceError } from './errors.ts'
export type { CheckResult, Finding, Report } from './model.ts'
export type { ConformanceOptions } from './options/options.ts'
// Reports
export { renderReport } from './report/render.ts'
