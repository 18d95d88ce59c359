// Programs whose name says little about what will run. Some do nothing but run others, or code from files that may change
// under a rule; some can be told to by an argument. "Any further arguments" of either means any command at all.
//
// The lists cannot be complete; they stand between a careless rule and a shell, and are not the wall itself.

/** What they run is another program, or a script: no rule can be made of one such call. */
export function runsOtherPrograms(program: string): boolean {
  return isNamed(program, RUNNERS);
}

/** The right arguments make them run something else: a rule for them must name every word. */
export function canRunOtherPrograms(program: string): boolean {
  return isNamed(program, RUNNERS) || isNamed(program, WITH_SUCH_OPTIONS);
}

function isNamed(program: string, names: ReadonlySet<string>): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  return names.has(name) || names.has(name.replace(VERSION, ''));
}

/** As in `python3.12`, `gcc-13` and `lua5.4`. */
const VERSION = /-?[0-9][0-9.]*$/;

const RUNNERS = wordsOf(`
  sh ash bash csh dash elvish fish ksh mksh nu oksh pwsh powershell rbash tcsh xonsh yash zsh busybox toybox
  env sudo doas su runuser pkexec setpriv capsh chroot unshare nsenter bwrap firejail fakeroot newgrp sg
  nohup nice ionice chrt taskset timeout time setsid setarch stdbuf unbuffer watch script flock choom prlimit numactl
  xargs parallel find fd fdfind entr run-parts start-stop-daemon systemd-run at batch crontab daemonize dbus-run-session
  strace ltrace gdb lldb perf valgrind rr bpftrace
  ssh scp sftp rsync mosh socat nc ncat netcat telnet ftp lftp tmux screen expect autossh sshpass
  awk gawk mawk nawk sed gsed ed ex vi vim view nvim rvim emacs emacsclient nano pico micro joe editor sensible-editor
  perl python pypy ipython ruby irb pry node nodejs deno bun bunx php lua luajit tclsh wish r rscript julia java jshell
  groovy scala clojure clj guile racket sbcl erl elixir iex ghci runghc ocaml swift osascript dotnet mono tsx ts-node jiti
  gjs qjs dart octave gnuplot m4 jrunscript nix nix-shell direnv
  make gmake bmake cmake ctest ninja meson bazel buck scons gradle gradlew mvn mvnw ant rake just task tox nox
  npm npx pnpm pnpx yarn corepack pip pipx poetry pdm uv uvx conda mamba gem bundle bundler composer cargo go cpan brew
  jest vitest mocha pytest git hg svn bzr fossil gh glab tig lazygit ansible ansible-playbook terraform vagrant
  eval exec command builtin source
`);

const WITH_SUCH_OPTIONS = wordsOf(`
  less more most pager man info sensible-pager
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
