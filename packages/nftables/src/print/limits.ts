import type { Limit, Log, LogFlag } from '../rules/statement.ts'
import { logLevels } from './words.ts'

const USUAL_BURST = 5

/** Text of a limit, such as `limit rate over 10/minute burst 20 packets`. */
export function limitText({ rate, per, burst, of, over }: Limit): string {
  const words = ['limit rate', ...(over === true ? ['over'] : [])]
  if (of === 'bytes') {
    words.push(`${bytesText(rate)}/${per}`, ...(burst > 0 ? [`burst ${bytesText(burst)}`] : []))
  } else {
    words.push(`${rate}/${per}`, ...(burst > 0 && burst !== USUAL_BURST ? [`burst ${burst} packets`] : []))
  }
  return words.join(' ')
}

/** Text of a byte rate, in the largest unit (up to mbytes) that divides the rate evenly. */
function bytesText(count: number): string {
  let rest = count
  let unit = 0
  while (unit < 2 && rest !== 0 && rest % 1024 === 0) {
    rest /= 1024
    unit++
  }
  return `${rest} ${['bytes', 'kbytes', 'mbytes'][unit]}`
}

const WARN = 4
const allFlags: readonly LogFlag[] = ['tcp sequence', 'tcp options', 'ip options', 'skuid', 'ether']

/** Text of a `log` statement, such as `log prefix "in: " level info`. */
export function logText({ prefix, group, snaplen, threshold, level = WARN, flags = [] }: Log): string {
  const words = ['log']
  if (prefix !== undefined) words.push(`prefix "${prefix}"`)
  if (group !== undefined) words.push(`group ${group}`)
  if (snaplen !== undefined) words.push(`snaplen ${snaplen}`)
  if (threshold !== undefined) words.push(`queue-threshold ${threshold}`)
  if (level !== WARN) words.push(`level ${logLevels[level] ?? level}`)
  return [...words, ...flagsText(flags)].join(' ')
}

function flagsText(flags: readonly LogFlag[]): string[] {
  if (allFlags.every((flag) => flags.includes(flag))) return ['flags all']
  const tcp = flags.flatMap((flag) => (flag.startsWith('tcp ') ? [flag.slice(4)] : []))
  const others = flags.filter((flag) => !flag.startsWith('tcp '))
  return [...(tcp.length === 0 ? [] : [`flags tcp ${tcp.join(',')}`]), ...others.map((flag) => `flags ${flag}`)]
}
