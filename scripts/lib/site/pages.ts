import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { root } from '../exec.ts'

/** A Markdown file that becomes a page of the documentation site. `route` omits `.md`. */
export type Page = { source: string; route: string; title: string; group: Group }
export type Group = 'guide' | 'packages' | 'examples' | 'project'

/** All pages of the documentation site in reading order, as the guide's index defines it. */
export function sitePages(): Page[] {
  const guide = [...read('docs/README.md').matchAll(/^\| \d+ \| \[[^\]]+\]\(([a-z-]+)\.md\)/gm)].map(([, name]) =>
    page(`docs/${name}.md`, `guide/${name}`, 'guide'),
  )
  const others = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => page(`docs/${name}`, `guide/${name.slice(0, -3)}`, 'guide'))
    .filter(({ route }) => !guide.some((known) => known.route === route))
  const reference = readdirSync(join(root, 'docs/reference'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => page(`docs/reference/${name}`, `guide/reference/${name.slice(0, -3)}`, 'guide'))
  return [
    page('docs/README.md', 'guide/index', 'guide'),
    ...guide,
    ...others,
    ...reference,
    ...readmes('packages', 'packages'),
    ...readmes('examples', 'examples'),
    page('CONTRIBUTING.md', 'contributing', 'project'),
    page('SECURITY.md', 'security', 'project'),
  ]
}

const readmes = (folder: string, group: Group) =>
  readdirSync(join(root, folder))
    .filter((name) => existsSync(join(root, folder, name, 'README.md')))
    .map((name) => page(`${folder}/${name}/README.md`, `${folder}/${name}`, group))

const read = (source: string) => readFileSync(join(root, source), 'utf8')

function page(source: string, route: string, group: Group): Page {
  const [, title = source] = /^# (.*)$/m.exec(read(source)) ?? []
  return { source, route, title: title.replaceAll('`', ''), group }
}

/**
 * Text of a page for the documentation site. Its links lead to routes of the site or to the repository.
 *
 * @param repository - URL of the source folder, with a branch
 */
export function pageText({ source, route }: Page, pages: readonly Page[], repository: string): string {
  const from = join(root, dirname(source))
  const routes = new Map(pages.map((each) => [join(root, each.source), each.route]))
  const lead = (target: string) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return target
    const [path = '', anchor] = target.split('#')
    const file = resolve(from, path)
    // The link's `target` attribute makes the browser load the playground as its own page.
    if (path.endsWith('playground/src/page.html')) return `/playground.html${anchor === undefined ? '' : `#${anchor}`}`
    const known = routes.get(file) ?? routes.get(join(file, 'README.md'))
    const hash = anchor === undefined ? '' : `#${anchor}`
    if (known !== undefined) return `${relative(dirname(`/${route}`), `/${known}`) || 'index'}.md${hash}`
    if (/\.(svg|png)$/.test(path)) return `/${relative(join(root, 'docs'), file)}`
    return `${repository}/${relative(root, file)}${hash}`
  }
  return outsideCode(read(source).replaceAll(/^<!-- \S+ -->\n(?=```)/gm, ''), (text) =>
    text.replaceAll(/\]\(([^)\s]+)\)/g, (_, target: string) => {
      const to = lead(target)
      return `](${to})${to.startsWith('/playground.html') ? '{target="_self"}' : ''}`
    }),
  )
}

/** Applies a change to the parts of a Markdown text that are not code. */
const outsideCode = (text: string, change: (text: string) => string) =>
  text
    .split(/(^```[\s\S]*?^```$|`[^`\n]*`)/gm)
    .map((part, i) => (i % 2 === 0 ? change(part) : part))
    .join('')
