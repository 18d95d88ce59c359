// Programs whose name says little about what will run. Some do nothing but run others, or code from files that may change
// under a rule; some can be told to by an argument. "Any further arguments" of either means any command at all.
//
// The lists cannot be complete. They protect against a careless rule, and are not the only protection.

/** What they run is another program, or a script: no rule can be made of one such call. */
export function runsOtherPrograms(program: string): boolean {
  return isNamed(program, RUNNERS);
}

/** The right arguments make them run something else: a rule for them must name every word. */
export function canRunOtherPrograms(program: string): boolean {
  return isNamed(program, RUNNERS) || isNamed(program, WITH_SUCH_OPTIONS);
}

function isNamed(program: string, names: ReadonlySet<string>): boolean {
  const file = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  const name = file.replace(EXTENSION, '');
  return names.has(file) || names.has(name) || names.has(name.replace(VERSION, ''));
}

/** As in `powershell.exe`, which Linux runs under Windows, and `vim.basic`. */
const EXTENSION = /\.(?:exe|com|cmd|bat|basic|tiny|nox|gtk3)$/;

/** The version behind a name, as in `python3.12`, `gcc-13` and `lua5.4`. */
const VERSION = /-?[0-9][0-9.]*$/;

const RUNNERS = wordsOf(`
  sh ash bash csh dash elvish fish ksh mksh nu oksh pwsh powershell rbash tcsh xonsh yash zsh busybox toybox
  env sudo doas su runuser pkexec setpriv capsh chroot unshare nsenter bwrap firejail fakeroot newgrp sg
  nohup nice ionice chrt taskset timeout time setsid setarch stdbuf unbuffer watch script flock choom prlimit numactl
  linux32 linux64 i386 x86_64 gtime hyperfine faketime gosu su-exec tini dumb-init chpst xvfb-run torsocks proxychains
  xargs parallel find fd fdfind entr run-parts start-stop-daemon systemd-run at batch crontab daemonize dbus-run-session
  chronic ifne pee watchexec nodemon pm2 concurrently cross-env dotenv rlwrap ssh-agent pdsh mpirun mpiexec srun cmd wsl
  strace ltrace gdb lldb perf valgrind rr bpftrace
  ssh scp sftp rsync mosh socat nc ncat netcat telnet ftp lftp tmux screen expect autossh sshpass
  awk gawk mawk nawk sed gsed ed ex vi vim vimdiff view rview nvim rvim gvim emacs emacsclient nano pico micro joe
  editor sensible-editor
  perl python pypy ipython ruby irb pry node nodejs deno bun bunx php lua luajit tclsh wish r rscript julia java jshell
  groovy scala clojure clj guile racket sbcl erl elixir iex ghci runghc ocaml swift osascript dotnet mono tsx ts-node jiti
  gjs qjs dart octave gnuplot m4 jrunscript nix nix-shell direnv
  make gmake bmake cmake ctest ninja meson bazel buck scons gradle gradlew mvn mvnw ant rake just task tox nox
  npm npx pnpm pnpx yarn corepack pip pipx poetry pdm uv uvx conda mamba gem bundle bundler composer cargo go cpan brew
  nx turbo lerna rush gulp grunt webpack vite rollup parcel tsup tsdown babel next nuxt astro ng storybook expo
  eslint prettier stylelint commitlint lint-staged husky pre-commit typedoc jsdoc prisma knex wrangler
  mypy pylint flake8 coverage hatch invoke fab celery flask django-admin sphinx-build mkdocs jupyter pydoc
  rspec rubocop rails erb asciidoctor jekyll phpunit phpstan psalm artisan prove cpanm perldoc
  sbt lein kotlin javac stack cabal ghc mix rebar dune opam nim zig dub rdmd crystal msbuild xcodebuild xcrun fastlane pod
  autoconf automake autoreconf configure libtool pulumi cdk serverless puppet salt
  jest vitest mocha ava tap jasmine karma cypress playwright nyc c8 nose nosetests pytest
  git hg svn bzr fossil gh glab tig lazygit ansible ansible-playbook terraform vagrant
  eval exec command builtin source
`);

const WITH_SUCH_OPTIONS = wordsOf(`
  less more most pager man info sensible-pager bat batcat delta fzf zless zmore bzless xzless w3m lynx links elinks
  pandoc tex latex pdftex pdflatex xelatex lualatex latexmk gs magick convert cppcheck protoc ssh-add ssh-keygen
  rclone restic borg aws pgbench patch
  tar bsdtar gtar zip cpio 7z 7za 7zr rar unrar ar sort split csplit install logrotate rg ag ack bc dc
  cc gcc g++ clang clang++ tcc ld rustc rustup ctags
  docker docker-compose podman buildah nerdctl lxc kubectl helm oc packer
  apt apt-get aptitude dpkg yum dnf rpm apk pacman snap flatpak
  psql mysql mariadb sqlite redis-cli mongo mongosh duckdb
  curl wget aria2c tcpdump tshark nmap openssl gpg mail mailx mutt sendmail exim
  systemctl journalctl service loginctl machinectl ip tc nft iptables mount umount losetup dmsetup
  xdg-open open gio code subl watchman
`);

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
