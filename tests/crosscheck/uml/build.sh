#!/bin/sh
# Builds user-mode Linux with a clock of its own: build.sh SOURCE KERNEL [JOBS]. SOURCE is a tar of the kernel's source, such as Debian's
# /usr/src/linux-source-6.1.tar.xz or one of kernel.org; KERNEL is the file to write. It needs gcc, make, flex, bison, bc and 1.5 GB beside KERNEL.
set -eu
if [ $# -lt 2 ] || [ ! -f "$1" ]; then
	echo "usage: $0 SOURCE KERNEL [JOBS]; no source at '${1:-}': apt-get install linux-source flex bison bc, then /usr/src/linux-source-*.tar.xz" >&2
	exit 2
fi
source=$(realpath "$1")
kernel=$(realpath -m "$2")
settings=$(realpath "$(dirname "$0")")/time-travel.config
folder=$kernel.build
mkdir -p "$folder"
tar -xf "$source" -C "$folder" --strip-components=1
make -s -C "$folder" ARCH=um x86_64_defconfig
cat "$settings" >>"$folder/.config"
make -s -C "$folder" ARCH=um olddefconfig
make -s -C "$folder" ARCH=um "-j${3:-2}" linux
cp "$folder/linux" "$kernel.new"
mv "$kernel.new" "$kernel"
rm -rf "$folder"
echo "$kernel"
