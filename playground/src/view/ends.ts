import type { End } from '../model/walk.ts'
import { h } from './dom.ts'

/** Symbol for the end of a packet's path, because colour alone is not accessible. */
export const signs: Readonly<Record<End['kind'], string>> = {
  proxy: '◆',
  application: '●',
  out: '↗',
  dropped: '✕',
  undecided: '?',
}

/** Label on the page for each end of a packet's path. */
export const words: Readonly<Record<End['kind'], string>> = {
  proxy: 'Proxy',
  application: 'Application',
  out: 'Out',
  dropped: 'Dropped',
  undecided: 'Not decided',
}

/** Creates the HTML label for the end of a packet's path, with symbol and text. */
export const endLabel = ({ kind, title }: End): HTMLElement =>
  h('span', { class: `end end-${kind}` }, h('span', { 'aria-hidden': 'true' }, `${signs[kind]} `), title)
