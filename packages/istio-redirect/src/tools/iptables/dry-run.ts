import type { Ruleset } from '@cni/iptables'
import type { Family } from '@cni/iptables/rules'
import type { CaptureConfig } from '@cni/istio-rules'
import { istioRestoreText, nativeRules, tableNames } from '@cni/istio-rules'
import { printRuleset } from '@cni/nftables/rules'
import type { ToolIo } from '../io.ts'
import { cleanUpCommands, ruleCommands } from './command-list.ts'
import type { ToolLog } from './log.ts'
import type { IptablesSettings } from './settings.ts'

/** Inputs of a dry run of `istio-redirect iptables`. */
export interface DryRun {
  readonly settings: IptablesSettings
  readonly rules: Ruleset
  readonly families: readonly Family[]
}

/**
 * Logs the iptables commands that would run. Writes the input of iptables-restore to the file that `DRY_RUN_FILE_PATH`
 * names.
 */
export function dryRun(io: ToolIo, log: ToolLog, { settings, rules, families }: DryRun): void {
  const saves = ['iptables-save', 'ip6tables-save']
  const script: string[] = []
  log.info('Clean-state detected, new iptables are needed')
  if (settings.cleanupOnly) {
    log.info('Performing cleanup of existing iptables')
    for (const family of families) {
      const commands = cleanUpCommands(rules, family)
      script.push(...commands)
      log.info(`Would run:\n${commands.join('\n')}`)
    }
  } else {
    log.info('Applying iptables chains and rules')
    for (const family of families) {
      const text = istioRestoreText(rules, family).trimEnd()
      script.push(...text.split('\n'))
      if (settings.restoreFormat) {
        const program = family === 'ipv4' ? 'iptables-restore' : 'ip6tables-restore'
        log.info(`Running iptables restore with: ${program} and the following input:\n${text}`)
      } else {
        log.info(`Would run:\n${ruleCommands(rules, family).join('\n')}`)
      }
    }
  }
  endDryRun(io, log, [...saves, ...script, ...saves.slice(0, families.length)])
}

/** Runs a dry run of native nftables: prints the rules as `nft list ruleset` would. */
export function nativeDryRun(io: ToolIo, log: ToolLog, { cleanupOnly }: IptablesSettings, config: CaptureConfig): void {
  const text = cleanupOnly
    ? tableNames.map((name) => `delete table inet ${name}`).join('\n')
    : printRuleset(nativeRules(config)).trimEnd()
  log.info(`Would ${cleanupOnly ? 'remove' : 'write'}:\n${text}`)
  endDryRun(io, log, text.split('\n'))
}

function endDryRun(io: ToolIo, log: ToolLog, lines: readonly string[]): void {
  log.info('skipping configuring routes due to dry run mode')
  const path = io.env.DRY_RUN_FILE_PATH
  if (path === undefined || path === '') return
  io.system.writeFile(path, `${lines.join('\n')}\n`)
}
