package io.indexview.kvstore.open;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * What the adapter's compiled classes call and read of the client: {@code owner name descriptor}.
 */
final class ClientReferences extends ClassVisitor {
  private static final String CLIENT = "oracle/kv/";

  private final SortedSet<Member> members = new TreeSet<>();

  private ClientReferences() {
    super(Opcodes.ASM9);
  }

  /** A method or field as the linker looks for it. */
  record Member(String owner, String name, String descriptor) implements Comparable<Member> {
    boolean isMethod() {
      return descriptor.startsWith("(");
    }

    @Override
    public int compareTo(Member other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return owner + " " + name + " " + descriptor;
    }
  }

  static SortedSet<Member> of(Path classes) throws IOException {
    ClientReferences references = new ClientReferences();
    try (Stream<Path> files = Files.walk(classes)) {
      files.filter(file -> file.toString().endsWith(".class")).forEach(references::read);
    }
    return references.members;
  }

  private void read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      new ClassReader(in).accept(this, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String owner, String name, String descriptor) {
    if (owner.startsWith(CLIENT)) {
      members.add(new Member(owner, name, descriptor));
    }
  }

  @Override
  public MethodVisitor visitMethod(
      int access, String name, String descriptor, String signature, String[] exceptions) {
    return new MethodVisitor(Opcodes.ASM9) {
      @Override
      public void visitMethodInsn(int opcode, String owner, String called, String type, boolean i) {
        add(owner, called, type);
      }

      @Override
      public void visitFieldInsn(int opcode, String owner, String read, String type) {
        add(owner, read, type);
      }

      @Override
      public void visitInvokeDynamicInsn(
          String called, String type, Handle bootstrap, Object... arguments) {
        Stream.of(arguments)
            .filter(Handle.class::isInstance)
            .map(Handle.class::cast)
            .forEach(handle -> add(handle.getOwner(), handle.getName(), handle.getDesc()));
      }
    };
  }
}
