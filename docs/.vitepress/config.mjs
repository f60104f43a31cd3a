// The documentation site, which .ci/site builds in a copy of docs: README.md as its first page, the documents, Javadoc
// beneath /api/.
// Links to sources lead to the repository, if the environment variable SITE_SOURCES names its address.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const home = above(fileURLToPath(import.meta.url))
const docs = resolve(home, 'docs')
const sources = process.env.SITE_SOURCES

/** The folder of the project, which holds the copy too. */
function above(file) {
  const folder = dirname(file)
  return existsSync(resolve(folder, 'CONTRIBUTING.md')) ? folder : above(folder)
}

const guide = (text, ...pages) => ({
  text,
  items: pages.map(page => ({ text: titleOf(page), link: '/' + page }))
})

function titleOf(page) {
  return readFileSync(resolve(docs, page + '.md'), 'utf8').match(/^# (.+)$/m)[1]
}

/** The file of a page in the repository; the first page is README.md of the project. */
function fileOf(page) {
  return page === 'index.md' ? resolve(home, 'README.md') : resolve(docs, page)
}

/** What a link of a document becomes on the site; fails where it has no target. */
function target(page, link) {
  if (/^[a-z]+:|^#/.test(link)) {
    return link
  }
  const [path, hash] = link.split('#')
  const file = resolve(dirname(fileOf(page)), path)
  if (!existsSync(file)) {
    throw new Error(`${page} has a dead link: ${link}`)
  }
  const anchor = hash === undefined ? '' : '#' + hash
  if (file === resolve(home, 'README.md')) {
    return '/' + anchor
  }
  const below = relative(docs, file)
  if (!below.startsWith('..') && below.endsWith('.md')) {
    return '/' + below + anchor
  }
  // Neither a page nor a picture: the repository has it.
  return sources && `${sources}/${relative(home, file)}${anchor}`
}

/** Anchors as GitHub makes them, which the documents use. */
function anchorOf(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '').replace(/ /g, '-')
}

/** Leads the links of the documents to pages of the site; a link to a source without an address is its text. */
function links(markdown) {
  markdown.core.ruler.before('linkify', 'rota-links', state => {
    const page = state.env.relativePath
    for (const block of state.tokens.filter(token => token.children)) {
      let dropped = false
      block.children = block.children.filter(token => {
        if (token.type === 'image' && page === 'index.md') {
          token.attrSet('src', token.attrGet('src').replace(/^docs/, '.'))
        }
        if (token.type === 'link_open') {
          const to = target(page, decodeURI(token.attrGet('href')))
          dropped = !to
          token.attrSet('href', to ?? '')
        }
        const keep = !(dropped && /^link_/.test(token.type))
        dropped = dropped && token.type !== 'link_close'
        return keep
      })
    }
  })
}

export default defineConfig({
  title: 'Rota',
  description: 'A multi-tenant task scheduler on plain PostgreSQL',
  base: process.env.SITE_BASE ?? '/',
  outDir: resolve(home, 'target/site'),
  srcExclude: ['node_modules/**'],
  ignoreDeadLinks: false,
  lastUpdated: false,
  markdown: {
    anchor: { slugify: anchorOf },
    config: links
  },
  themeConfig: {
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Operations', link: '/operations' },
      { text: 'API', link: '/api/index.html', target: '_self' }
    ],
    sidebar: [
      guide('Start', 'getting-started', 'examples/README', 'ad-hoc-queues', 'glossary'),
      guide('Tasks', 'delivery', 'typed-tasks', 'retries', 'keys', 'priorities', 'schedules', 'dependencies',
        'pipelines', 'assignment', 'limits', 'history', 'insight', 'dashboard', 'metering'),
      guide('Applications', 'spring-boot', 'testing', 'metrics', 'tracing'),
      guide('Operation', 'operations', 'packaging', 'security', 'architecture', 'reliability', 'performance', 'benchmarking')
    ],
    outline: [2, 3],
    search: { provider: 'local' }
  }
})
