import type { End, Walk } from '../model/walk.ts'
import { h, show } from './dom.ts'
import { signs, words } from './ends.ts'
import { picture } from './picture.ts'

/** Shows a packet's path through the rules: the end of the path, a picture, and the trace as text. */
export function showWalk(parent: HTMLElement, walk: Walk | { readonly problem: string }, note?: string): void {
  if ('problem' in walk) {
    show(parent, h('p', { class: 'problem', role: 'alert' }, walk.problem))
    return
  }
  const { end } = walk
  const width = Math.max(280, Math.min(parent.clientWidth || 720, 860))
  show(
    parent,
    h(
      'p',
      { class: `verdict verdict-${end.kind}`, id: `${parent.id}-verdict` },
      h('span', { class: 'sign', 'aria-hidden': 'true' }, signs[end.kind]),
      h('span', {}, h('strong', {}, titleOf(end)), ` ${end.text}`),
    ),
    note !== undefined && h('p', { class: 'hint' }, note),
    h('div', { class: 'picture-box' }, picture(walk, width, `${parent.id}-picture`)),
    h(
      'details',
      { id: `${parent.id}-text` },
      h('summary', {}, 'The same as text: istio-redirect trace'),
      h('pre', { tabindex: 0 }, walk.text.length > MAX_TEXT ? `${walk.text.slice(0, MAX_TEXT)}\n…` : walk.text),
    ),
  )
}

/** Heading for a path's end. Avoids repetitions, such as "Out: out, to 10.0.0.1:80". */
const titleOf = ({ kind, title }: End): string =>
  title.toLowerCase().startsWith(words[kind].toLowerCase()) ? `${capital(title)}.` : `${words[kind]}: ${title}.`

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const MAX_TEXT = 100_000
