package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * A guide as a script: its files are written, and a shell runs its commands, from top to bottom, as
 * who copies them does. Programs that are stood in for are called here instead.
 */
final class GuideScript {
  private static final Pattern BLOCK =
      Pattern.compile("```(properties|sh)\n(.*?)```", Pattern.DOTALL);
  private static final String SEPARATOR = "\37";

  /**
   * Tells the call with the settings of its environment in front, and answers what is asked for.
   */
  private static final String STAND_IN =
      """
      #!/bin/sh
      [ "$1" != random-uuid ] || exec echo MkU3OEVBNTcwNTJENDM2Qg
      printf '%%s\\037' $(env | grep '^INDEXVIEW_') "${0##*/}" "$@" >> '%1$s'
      echo >> '%1$s'
      """;

  private final Path guide;
  private final Path directory;
  private final Map<String, String> substitutes;

  /** Does what the program would do. */
  @FunctionalInterface
  interface Program {
    /**
     * @param words the arguments
     * @param environment what was set for this call
     */
    void run(List<String> words, Map<String, String> environment) throws Exception;
  }

  /**
   * @param directory where relative files and stand-ins go
   * @param substitutes what stands for names of the guide here, the longer ones first
   */
  GuideScript(Path guide, Path directory, Map<String, String> substitutes) {
    this.guide = guide;
    this.directory = directory;
    this.substitutes = substitutes;
  }

  /** Runs everything; the programs of a block are run when its shell has ended. */
  void run(Map<String, Program> programs) throws Exception {
    Path calls = directory.resolve("calls");
    Path bin = Files.createDirectory(directory.resolve("bin"));
    for (String program : programs.keySet()) {
      Path file = Files.writeString(bin.resolve(program), STAND_IN.formatted(calls));
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    for (MatchResult block : BLOCK.matcher(here(Files.readString(guide))).results().toList()) {
      if (block.group(1).equals("properties")) {
        write(block.group(2));
      } else {
        Files.writeString(calls, "");
        shell(block.group(2), bin);
        for (String call : Files.readAllLines(calls)) {
          call(Arrays.asList(call.split(SEPARATOR)), programs);
        }
      }
    }
  }

  private String here(String text) {
    String here = text;
    for (Map.Entry<String, String> substitute : substitutes.entrySet()) {
      assertThat(here).contains(substitute.getKey());
      here = here.replace(substitute.getKey(), substitute.getValue());
    }
    return here;
  }

  /** The first line says which file it is. */
  private void write(String properties) throws IOException {
    String name = properties.lines().findFirst().orElseThrow().replaceFirst("^# ", "");
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, properties);
  }

  private void shell(String commands, Path bin) throws IOException, InterruptedException {
    Path output = directory.resolve("shell.log");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-c", commands)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
    String tools = Path.of(System.getProperty("java.home"), "bin").toString();
    builder.environment().merge("PATH", bin + ":" + tools, (path, ours) -> ours + ":" + path);
    assertThat(builder.start().waitFor()).as(() -> read(output)).isZero();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static void call(List<String> words, Map<String, Program> programs) throws Exception {
    Map<String, String> environment = new HashMap<>();
    List<String> rest = new ArrayList<>(words);
    while (rest.get(0).startsWith("INDEXVIEW_")) {
      String[] set = rest.remove(0).split("=", 2);
      environment.put(set[0], set[1]);
    }
    Program program = programs.get(rest.remove(0));
    program.run(rest, environment);
  }
}
