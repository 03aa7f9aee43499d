import java.net.URL;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import uk.ac.starlink.util.PropertyAuthenticator;
import uk.ac.starlink.vo.UwsJob;
import uk.ac.starlink.vo.UwsJobInfo;
import uk.ac.starlink.vo.UwsStage;

/**
 * Drives jobs with the class that TOPCAT and STILTS use: {@code java Topcat.java LIST OFFER RUNNING}.
 * Prints what it saw.
 */
public class Topcat {
    public static void main(String[] words) throws Exception {
        PropertyAuthenticator.installInstance(true);
        String list = words[0];
        UwsJob job = UwsJob.createJob(list, Map.of("OFFER", words[1]), Map.of());
        say("created", job.readInfo().getPhase());
        job.postExecutionDuration(60);
        say("duration", job.readInfo().getExecutionDuration());
        job.start();
        UwsJobInfo started = job.readInfo();
        say("started", UwsStage.forPhase(started.getPhase()));
        UwsJobInfo next = job.readInfoBlocking(60, started);
        say("changed", !next.getPhase().equals(started.getPhase()));
        UwsJobInfo over = job.waitForFinish(1000);
        say("over", over.getPhase());
        say("results", Arrays.stream(over.getResults()).map(r -> r.getId()).collect(Collectors.joining(" ")));

        UwsJob running = new UwsJob(new URL(list + "/" + words[2]));
        running.postPhase("ABORT");
        say("aborted", running.waitForFinish(1000).getPhase());
        running.postDelete();
        try {
            say("deleted", running.readInfo().getPhase());
        } catch (java.io.IOException gone) {
            say("deleted", gone.getMessage());
        }
    }

    private static void say(String what, Object value) {
        System.out.println(what + ": " + value);
    }
}
