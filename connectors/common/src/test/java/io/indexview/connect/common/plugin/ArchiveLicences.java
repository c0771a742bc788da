package io.indexview.connect.common.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What an archive says of the libraries of others that it holds. */
public final class ArchiveLicences {
  private static final Pattern LINE =
      Pattern.compile("^ +(\\(.+?\\)) \\S.* \\(\\S+?:(\\S+?):(\\S+) - ", Pattern.MULTILINE);

  private ArchiveLicences() {}

  /**
   * Checks that it names exactly them, each with its licence, and holds the texts of exactly these.
   *
   * @param jars names of all jars
   * @param list its THIRD-PARTY.txt
   * @param texts files of its directory licenses
   */
  public static void check(Collection<String> jars, String list, Collection<String> texts) {
    Map<String, String> artifacts = new HashMap<>();
    Map<String, String> licences = new HashMap<>();
    Matcher line = LINE.matcher(list);
    while (line.find()) {
      artifacts.put(line.group(2) + "-" + line.group(3) + ".jar", line.group(2));
      licences.put(line.group(2), line.group(1));
    }
    assertThat(artifacts.keySet())
        .containsExactlyInAnyOrderElementsOf(
            jars.stream().filter(jar -> !jar.startsWith("indexview-")).toList());
    assertThat(list).doesNotContainIgnoringCase("unknown license");

    Set<String> withText = new HashSet<>();
    texts.forEach(text -> withText.add(text.replaceFirst("(\\.txt$|/.*)", "")));
    assertThat(licences.keySet()).containsAll(withText);
    licences
        .keySet()
        .removeIf(artifact -> withText.contains(artifact) || isApache(licences.get(artifact)));
    assertThat(licences).as("without a text").isEmpty();
  }

  /** Its text is that of the archive's own licence. */
  private static boolean isApache(String licences) {
    return licences.contains("Apache");
  }
}
